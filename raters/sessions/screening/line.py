"""A connection that is too slow for its rater: noted where a rater leaves for it, never asked and never failed."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from django.utils.translation import gettext_lazy

from raters.sessions.screening.base import Check, Form, Step
from studies.definition.definition import Definition


class LineCheck(Check):
    """The line test, which the trial page makes while the first clip loads: it has no page of its own."""

    name = "line"
    label = gettext_lazy("Slow connection")
    rank = 90
    template = ""

    def mode(self, definition: Definition) -> str:
        return "off"

    def draw(self, definition: Definition, rng: Random, *, clips: Sequence[Any], short: bool) -> list[Step]:
        return []

    def answer(self, definition: Definition, step: Step, form: Form) -> dict[str, Any]:
        return {"right": False}

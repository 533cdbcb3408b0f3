"""Volume check: raters set the volume on noise as loud as the clips, and then leave it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from django.utils.translation import gettext_lazy

from raters.sessions.screening.base import Check, Form, Step
from raters.sessions.stimuli import speech_noise
from studies.definition.definition import Definition

# LUFS, for clips with their original loudness.
USUAL = -23.0


class Volume(Check):
    """Can't be failed: listeners judge the volume themselves."""

    name = "volume"
    label = gettext_lazy("Volume")
    rank = 30
    template = "volume"

    def mode(self, definition: Definition) -> str:
        return "flag" if definition.screening.volume else "off"

    def draw(self, definition: Definition, rng: Random, *, clips: Sequence[Any], short: bool) -> list[Step]:
        return [{"seed": rng.getrandbits(63)}]

    def sound(self, definition: Definition, step: Step) -> bytes:
        loudness = definition.audio.delivered_loudness
        return speech_noise.loop(USUAL if loudness is None else loudness, step["seed"])

    def answer(self, definition: Definition, step: Step, form: Form) -> dict[str, Any]:
        return {"right": True}

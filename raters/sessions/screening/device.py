"""Device check: does it play sound, and is the window wide enough? The rater counts beeps and enters digits."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Literal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from raters.sessions.screening.base import Check, Form, Step
from raters.sessions.stimuli import beeps
from studies.definition.definition import Definition

GROUPS = 3
# In CSS pixels: 1280 px at 400 % zoom, or the smallest phones.
NARROWEST = 320


class Device(Check):
    """Checks capabilities reported by the page, and digits that only a listener can enter.

    It never goes by browser names. The page's report can be forged; the digits can't.
    """

    name = "device"
    label = gettext_lazy("Device and sound")
    rank = 10
    template = "device"
    outcome = "bad_device"

    def mode(self, definition: Definition) -> str:
        return definition.screening.device

    def draw(self, definition: Definition, rng: Random, *, clips: Sequence[Any], short: bool) -> list[Step]:
        counts = [rng.randint(beeps.FEWEST, beeps.MOST) for _group in range(GROUPS)]
        return [{"counts": counts, "seed": rng.getrandbits(63)}]

    def page(
        self, definition: Definition, step: Step, *, language: str, earlier: Sequence[dict[str, Any]]
    ) -> dict[str, Any]:
        return {"groups": GROUPS, "narrowest": NARROWEST, "fault": fault(earlier[-1]) if earlier else ""}

    def sound(self, definition: Definition, step: Step) -> bytes:
        return beeps.groups(step["counts"], step["seed"])

    def problems(self, definition: Definition, step: Step, form: Form) -> dict[str, str]:
        digits = _digits(form)
        wanted = _("Type {number} digits, one for each group, such as 423.").format(number=GROUPS)
        return {} if len(digits) == GROUPS else {"digits": wanted}

    def answer(self, definition: Definition, step: Step, form: Form) -> dict[str, Any]:
        digits, plays = _digits(form), form.get("audio") == "yes"
        text = form.get("width", "")
        width = int(text) if text.isdecimal() and len(text) < 6 else 0
        is_heard = digits == "".join(map(str, step["counts"]))
        right = is_heard and plays and width >= NARROWEST
        return {"digits": digits, "audio": plays, "width": width, "right": right}


def fault(answer: dict[str, Any]) -> Literal["sound", "width", "count"]:
    """Return the reason for a wrong answer: no sound, a narrow window, or a wrong count."""
    if not answer["audio"]:
        return "sound"
    return "width" if answer["width"] < NARROWEST else "count"


def _digits(form: Form) -> str:
    """Return the digits entered, in any script and with any separators."""
    typed = form.get("digits", "")[:40]
    return "".join(str(int(letter)) for letter in typed if letter.isdecimal())

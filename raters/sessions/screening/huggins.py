"""Headphone test with a pitch heard only with separate channels for each ear (Milne et al. 2021)."""

from __future__ import annotations

from random import Random

from django.utils.translation import gettext_lazy

from raters.sessions.screening._three import INTERVALS, ThreeIntervalTest
from raters.sessions.screening.base import Step
from raters.sessions.stimuli import huggins
from studies.definition.definition import Definition


class Huggins(ThreeIntervalTest):
    """Which noise contains a tone? Through loudspeakers, none seems to."""

    name = "huggins"
    label = gettext_lazy("Headphones: hidden pitch")
    rank = 50

    def needed(self, definition: Definition) -> int:
        return definition.screening.huggins_right

    def trial(self, rng: Random) -> Step:
        return {"target": rng.randrange(INTERVALS), "seed": rng.getrandbits(63)}

    def sound(self, definition: Definition, step: Step) -> bytes:
        return huggins.trial(step["target"], step["seed"])

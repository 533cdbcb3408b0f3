"""Headphones or loudspeakers, by a pitch that only two ears hear (Milne et al. 2021)."""

from __future__ import annotations

from random import Random

from django.utils.translation import gettext_lazy

from raters.sessions.screening._three import INTERVALS, ThreeIntervalTest
from raters.sessions.screening.base import Step
from raters.sessions.stimuli import huggins
from studies.definition.definition import Definition


class Huggins(ThreeIntervalTest):
    """In which noise hides a tone? By loudspeakers in none."""

    name = "huggins"
    label = gettext_lazy("Headphones: hidden pitch")
    rank = 50

    def needed(self, definition: Definition) -> int:
        return definition.screening.huggins_right

    def trial(self, rng: Random) -> Step:
        return {"target": rng.randrange(INTERVALS), "seed": rng.getrandbits(63)}

    def sound(self, definition: Definition, step: Step) -> bytes:
        return huggins.trial(step["target"], step["seed"])

"""Headphone test with tones in opposite phase (Woods et al. 2017)."""

from __future__ import annotations

from random import Random

from django.utils.translation import gettext_lazy

from raters.sessions.screening._three import ThreeIntervalTest
from raters.sessions.screening.base import Step
from raters.sessions.stimuli import antiphase
from studies.definition.definition import Definition


class Antiphase(ThreeIntervalTest):
    """Which tone is softest? Through loudspeakers, the foil seems softest."""

    name = "antiphase"
    label = gettext_lazy("Headphones: tones in opposite phase")
    rank = 40

    def needed(self, definition: Definition) -> int:
        return definition.screening.antiphase_right

    def trial(self, rng: Random) -> Step:
        order = list(antiphase.KINDS)
        rng.shuffle(order)
        return {"order": order, "target": order.index("target"), "seed": rng.getrandbits(63)}

    def sound(self, definition: Definition, step: Step) -> bytes:
        return antiphase.trial(step["order"], step["seed"])

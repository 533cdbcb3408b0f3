"""People who don't exist: what each would answer, as a function of the seed alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from core.rng import seeded
from studies.selectors.facts import Frozen
from studies.task_types.base import Listener, Shown

# How often a clip passes for human: recordings, flawed clips, and the range from which other systems are drawn.
HUMAN, FLAWED, OTHERS = 0.9, 0.02, (0.1, 0.75)
# Standard deviations on the logit scale.
RATER_SD, CLIP_SD = 0.45, 0.35
DRAWS = 64


@dataclass(frozen=True, slots=True)
class Heard:
    """A clip as the simulator's ear meets it; raters never see any of this."""

    trial_clip: int
    size: int
    plays: int
    system: str
    role: str
    file: str


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who does not exist: how far they lean to Human, and whether they care."""

    seed: int
    number: int
    bias: float
    careless: bool

    def rng(self, *purpose: object) -> Random:
        """Return this person's own generator for one purpose, so that an interrupted run goes on as it would have."""
        return seeded("person", self.seed, self.number, *purpose)

    def chance(self, heard: Heard) -> float:
        """Return with which probability a clip passes for human with this person."""
        if heard.role == "trap_flawed":
            system = FLAWED
        elif heard.system == "human":
            system = HUMAN
        else:
            system = seeded("system", self.seed, heard.system).uniform(*OTHERS)
        shift = self.bias + seeded("clip", self.seed, heard.file).gauss(0, CLIP_SD)
        return 1 / (1 + math.exp(-(math.log(system / (1 - system)) + shift)))


def crowd(*, raters: int, seed: int, careless: float) -> list[Person]:
    """Return the people of a seed; the share `careless` of them doesn't care, evenly spread, whatever their number."""
    offset = seeded("careless", seed).uniform(0.1, 0.9)

    def careless_before(number: int) -> int:
        return int(offset + number * careless)

    return [
        Person(
            seed,
            number,
            seeded("bias", seed, number).gauss(0, RATER_SD),
            careless_before(number + 1) > careless_before(number),
        )
        for number in range(raters)
    ]


def answer(*, frozen: Frozen, shown: Shown, chances: Sequence[float], careless: bool, rng: Random) -> dict[str, Any]:
    """Return what a person submits; a careless one picks evenly among the answers that this task knows."""
    kind, params = frozen.kind, frozen.params
    if not careless:
        return dict(kind.simulate(params, shown, Listener(tuple(chances)), rng).model_dump(mode="json"))
    found: dict[tuple[str, ...], Any] = {}
    for _ in range(DRAWS):
        listener = Listener(tuple(rng.random() for _chance in chances), is_careful=False)
        drawn = kind.simulate(params, shown, listener, rng)
        rows = kind.rows(params, shown, drawn)
        found.setdefault(tuple(row.code for row in rows if row.part == kind.score.part), drawn)
        if len(found) >= kind.options:
            break
    return dict(found[rng.choice(sorted(found))].model_dump(mode="json"))

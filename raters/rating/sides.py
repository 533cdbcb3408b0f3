"""The sides of pairs, balanced among a rater's trials."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from random import Random
from typing import NamedTuple

from raters.rating.models import TrialClip


class Heard(NamedTuple):
    """The (role, system) of the two clips of a pair, as they are heard."""

    first: tuple[str, str]
    second: tuple[str, str]


def to_swap(pairs: Sequence[Heard], earlier: Iterable[Heard], rng: Random) -> list[int]:
    """Choose pairs to swap, so that each of two systems comes first equally often, or once more than the other.

    `earlier` are the pairs that the rater has had before; they stay as they were. Returns positions in `pairs`.
    """
    times = Counter([*earlier, *pairs])
    positions = defaultdict(list)
    for position, pair in enumerate(pairs):
        positions[pair].append(position)
    swapped: list[int] = []
    for pair, same in positions.items():
        # Each swap changes the difference by two.
        too_many = max(0, (times[pair] - times[Heard(pair.second, pair.first)]) // 2)
        swapped += rng.sample(same, min(too_many, len(same)))
    return swapped


def earlier_pairs(rater: int) -> list[Heard]:
    """Return the pairs of a rater's trials without repeats; one SELECT."""
    clips = TrialClip.objects.filter(trial__rater=rater, trial__repeat=0).order_by("trial_id", "place")
    rows = clips.values_list("trial_id", "clip__role", "clip__system__name")
    trials = ([(role, system) for _trial, role, system in own] for _trial, own in groupby(rows, itemgetter(0)))
    return [Heard(*sounds[-2:]) for sounds in trials]


def swapped(order: Sequence[int]) -> tuple[int, ...]:
    """Return the order of a trial with its last two clips swapped; a recording X before them stays."""
    *leads, first, second = order
    return (*leads, second, first)

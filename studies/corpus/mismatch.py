"""Clips that can't be their text: far longer or shorter than its characters, among clips of one system and language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import log
from statistics import median
from typing import NamedTuple

# Fewer clips of one system and language have no usual rate.
LEAST = 5
# Median absolute deviations that are 1 standard deviation of a normal distribution, and how many of these are far.
PER_SD, FAR = 1.4826, 3.5
# Clips below this ratio to the usual rate are never reported: people vary as much.
LEAST_RATIO = 1.6


class SpokenText(NamedTuple):
    """A clip and its text's length in characters."""

    clip: int
    system: str
    language: str
    graphemes: int
    seconds: float


class Mismatch(NamedTuple):
    """A clip, its seconds per character, and the usual value of its system and language."""

    clip: int
    rate: float
    usual: float

    @property
    def ratio(self) -> float:
        return self.rate / self.usual


def mismatches(clips: Iterable[SpokenText]) -> list[Mismatch]:
    """Return the clips with seconds per character far from the median of their group, farthest first.

    Distances are of logarithms: half as long is as far as twice as long.
    """
    groups: defaultdict[tuple[str, str], list[SpokenText]] = defaultdict(list)
    for clip in clips:
        if clip.graphemes and clip.seconds > 0:
            groups[clip.system, clip.language].append(clip)
    found = []
    for group in groups.values():
        if len(group) < LEAST:
            continue
        rates = [log(clip.seconds / clip.graphemes) for clip in group]
        middle = median(rates)
        usual = median(clip.seconds / clip.graphemes for clip in group)
        spread = PER_SD * median(abs(rate - middle) for rate in rates)
        limit = max(FAR * spread, log(LEAST_RATIO))
        found += [
            Mismatch(clip.clip, clip.seconds / clip.graphemes, usual)
            for clip, rate in zip(group, rates, strict=True)
            if abs(rate - middle) > limit
        ]
    return sorted(found, key=lambda each: -abs(log(each.ratio)))

"""Compare measures between systems, and find differences that listeners could use; without Django.

A difference between two systems has a 95 % t interval: paired by text where they share at least three texts (each text
counts once, as the mean of its clips), otherwise Welch's. It is a finding when the whole interval lies beyond the
threshold. Findings are gathered: a system that differs from three others in one direction makes one finding.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

HUMAN = "human"
# The smallest number of pairs, or of clips of a system, for an interval.
LEAST = 3


@dataclass(frozen=True, slots=True)
class SystemClip:
    """A clip to compare; `values` has no entry for a missing measure."""

    system: str
    # Empty if unknown.
    text: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean difference with its 95 % interval; `texts` is 0 where clips were not paired by text."""

    mean: float
    low: float
    high: float
    texts: int

    def is_beyond(self, threshold: float) -> bool:
        """True if the whole interval is above the threshold."""
        return self.low > threshold


@dataclass(frozen=True, slots=True)
class Difference:
    """A measure that is higher in some systems than in others, and the size of the difference."""

    measure: str
    more: tuple[str, ...]
    less: tuple[str, ...]
    by: Interval

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(sorted((*self.more, *self.less)))


@dataclass(frozen=True, slots=True)
class SourceDifference:
    """A fact of the source files that systems don't share: (values, systems with these values), by value."""

    fact: str
    groups: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


def differences(
    clips: Sequence[SystemClip], thresholds: Mapping[str, float], *, same_text: Collection[str] = ()
) -> Iterator[Difference]:
    """Yield the differences of each measure beyond its threshold, in the order of `thresholds`.

    Measures in `same_text` depend so much on the text that only shared texts are compared.
    """
    for measure, threshold in thresholds.items():
        yield from _of_measure(threshold, _by_system(clips, measure), measure, measure in same_text)


def source_differences(facts: Mapping[str, Mapping[str, Collection[str]]]) -> Iterator[SourceDifference]:
    """Yield the facts whose values differ between systems; `facts` is {fact: {system: its values}}.

    Systems whose values are unknown are left out.
    """
    for fact, by_system in facts.items():
        groups: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        for system, values in by_system.items():
            if values:
                groups[tuple(sorted(values))].append(system)
        if len(groups) > 1:
            yield SourceDifference(fact, tuple((values, tuple(sorted(names))) for values, names in groups.items()))


# {text or place: value}; a clip without a text has its own number.
Values = dict[str | int, float]
# Systems with higher values, and systems with lower ones.
Sides = tuple[tuple[str, ...], tuple[str, ...]]


def _by_system(clips: Sequence[SystemClip], measure: str) -> dict[str, Values]:
    lists: defaultdict[str, defaultdict[str | int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for number, clip in enumerate(clips):
        if measure in clip.values:
            lists[clip.system][clip.text or number].append(clip.values[measure])
    return {
        system: {place: math.fsum(values) / len(values) for place, values in by_text.items()}
        for system, by_text in sorted(lists.items())
    }


def _of_measure(threshold: float, systems: dict[str, Values], measure: str, must_pair: bool) -> Iterator[Difference]:
    """Gather pairs of systems into findings: always the system that differs from most others in one direction."""
    # {(system, whether it has more): the others}
    beyond: defaultdict[tuple[str, bool], set[str]] = defaultdict(set)
    for one, other in combinations(systems, 2):
        by = interval(systems[one], systems[other])
        if by is None or (must_pair and not by.texts):
            continue
        if by.is_beyond(threshold):
            beyond[one, True].add(other)
            beyond[other, False].add(one)
        elif by.high < -threshold:
            beyond[other, True].add(one)
            beyond[one, False].add(other)
    sides: list[Sides] = []
    while any(beyond.values()):
        system, has_more = max(beyond, key=lambda key: (len(beyond[key]), key[0] == HUMAN, key[0], key[1]))
        others = tuple(sorted(beyond.pop((system, has_more))))
        for other in others:
            beyond[other, not has_more].discard(system)
        sides.append(((system,), others) if has_more else (others, (system,)))
    for more, less in _merged(sides):
        by = interval(_together(systems, more), _together(systems, less))
        if by is not None:
            yield Difference(measure, more, less, by)


def _merged(sides: Sequence[Sides]) -> list[Sides]:
    """Join findings in which the same systems have more, and then those in which the same ones have less."""
    by_more: dict[tuple[str, ...], set[str]] = {}
    for more, less in sides:
        by_more.setdefault(more, set()).update(less)
    by_less: dict[tuple[str, ...], set[str]] = {}
    for more, lower in by_more.items():
        by_less.setdefault(tuple(sorted(lower)), set()).update(more)
    return [(tuple(sorted(higher)), less) for less, higher in by_less.items()]


def _together(systems: Mapping[str, Values], names: Sequence[str]) -> Values:
    lists: defaultdict[str | int, list[float]] = defaultdict(list)
    for name in names:
        for place, value in systems[name].items():
            lists[place].append(value)
    return {place: math.fsum(values) / len(values) for place, values in lists.items()}


def interval(one: Values, other: Values) -> Interval | None:
    """Return how much more `one` has than `other`, with its 95 % interval; None with too few texts or clips."""
    shared = [text for text in one if isinstance(text, str) and text in other]
    if len(shared) >= LEAST:
        pairs = np.array([one[text] - other[text] for text in shared])
        error = float(pairs.std(ddof=1)) / math.sqrt(len(pairs))
        return _interval(float(pairs.mean()), error, len(pairs) - 1, len(pairs))
    if min(len(one), len(other)) < LEAST:
        return None
    first, second = np.array(list(one.values())), np.array(list(other.values()))
    parts = float(first.var(ddof=1)) / len(first), float(second.var(ddof=1)) / len(second)
    mean, error = float(first.mean() - second.mean()), math.sqrt(sum(parts))
    # Welch and Satterthwaite; without any variance the interval is a point.
    spread = parts[0] ** 2 / (len(first) - 1) + parts[1] ** 2 / (len(second) - 1)
    return _interval(mean, error, sum(parts) ** 2 / spread if spread else 1, 0)


def _interval(mean: float, error: float, freedom: float, texts: int) -> Interval:
    # Only here: the web process starts without scipy.
    from scipy.special import stdtrit

    half = float(stdtrit(freedom, 0.975)) * error
    return Interval(mean, mean - half, mean + half, texts)

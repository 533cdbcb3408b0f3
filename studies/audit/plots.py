"""Dot strips of the audit's page: one plot for each measure, one row for each system, one dot for each clip."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from studies.audit import words
from studies.audit.comparing import HUMAN

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

    from studies.audit.queries import AuditedClip

# At most this many dots of a system are drawn: the lowest, the highest, and others at equal steps.
MOST_DOTS = 120
# Heights of neighbouring dots in a row of 28 pixels, so that equal values can be told apart.
HEIGHTS = (14, 10, 18, 12, 16)
# Percent of the width that stay free at both ends.
MARGIN = 3.0


@dataclass(frozen=True, slots=True)
class Strip:
    """The dots of one system; places are in percent of the width, heights in pixels."""

    system: str
    is_human: bool
    dots: tuple[tuple[str, int], ...]
    median: str
    median_at: str


@dataclass(frozen=True, slots=True)
class StripPlot:
    """The values of one measure by system."""

    name: str
    lowest: str
    highest: str
    strips: tuple[Strip, ...]

    @property
    def label(self) -> Words:
        return words.MEASURES[self.name].label

    @property
    def unit(self) -> Words:
        return words.MEASURES[self.name].value_unit


Values = Mapping[str, Sequence[float]]


def values_by_system(clips: Sequence[AuditedClip]) -> dict[str, dict[str, list[float]]]:
    """Return {measure: {system: sorted values}} of clips that are measured and compared, human first."""
    lists: dict[str, defaultdict[str, list[float]]] = {name: defaultdict(list) for name in words.MEASURES}
    for clip in clips:
        if clip.is_compared and clip.is_measured:
            values = clip.values
            for name, by_system in lists.items():
                if name in values:
                    by_system[clip.system].append(values[name])
    return {
        name: {system: sorted(by_system[system]) for system in sorted(by_system, key=_order)}
        for name, by_system in lists.items()
    }


def _order(system: str) -> tuple[bool, str]:
    return system != HUMAN, system


def plots(values: Mapping[str, Values]) -> Iterator[StripPlot]:
    """Yield a plot of each measure that any clip has."""
    for name, by_system in values.items():
        if by_system:
            yield _plot(name, by_system)


def _plot(name: str, by_system: Values) -> StripPlot:
    measure = words.MEASURES[name]
    lowest = min(each[0] for each in by_system.values())
    highest = max(each[-1] for each in by_system.values())
    margin = max(0.0, measure.span - (highest - lowest)) / 2
    # Durations are never negative, so their axis starts at 0.
    lowest, highest = (lowest - margin if lowest < 0 else max(0.0, lowest - margin)), highest + margin

    def at(value: float) -> str:
        share = (value - lowest) / (highest - lowest)
        return f"{MARGIN + (100 - 2 * MARGIN) * share:.2f}%"

    strips = tuple(
        Strip(
            system,
            system == HUMAN,
            tuple((at(value), HEIGHTS[place % len(HEIGHTS)]) for place, value in enumerate(_thinned(sorted_values))),
            measure.value(median(sorted_values)),
            at(median(sorted_values)),
        )
        for system, sorted_values in by_system.items()
    )
    return StripPlot(name, measure.value(lowest), measure.value(highest), strips)


def _thinned(values: Sequence[float]) -> Sequence[float]:
    if len(values) <= MOST_DOTS:
        return values
    step = (len(values) - 1) / (MOST_DOTS - 1)
    return [values[round(place * step)] for place in range(MOST_DOTS)]

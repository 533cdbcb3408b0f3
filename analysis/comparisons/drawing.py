"""Coordinates of the page's plots, in percent, formatted for SVG."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analysis.comparisons.result import Calibration, MachineFigures, Traps
from analysis.sections.shared import Scale
from core.text.numbers import rounded

# The dots of a row are spread over this height, in px, so that equal values don't hide each other.
SPREAD = 26


@dataclass(frozen=True, slots=True)
class PlotTick:
    """A labelled tick on a plot axis; `x` and `y` in percent."""

    x: str
    y: str
    label: str


@dataclass(frozen=True, slots=True)
class Range:
    """The range of values on a plot axis."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float], low: float | None, high: float | None) -> Range:
        """Return a range of all values and, if known, the whole scale; a single value gets a margin."""
        known = [*values, *(end for end in (low, high) if end is not None)]
        if not known:
            return cls(0.0, 1.0)
        room = 0.5 if min(known) == max(known) else 0.0
        return cls(min(known) - room, max(known) + room)

    def share(self, value: float) -> float:
        return 100 * (value - self.low) / (self.high - self.low)

    def across(self, value: float) -> str:
        return f"{self.share(value):.2f}%"

    def up(self, value: float) -> str:
        """Return the position in percent from the top, as SVG counts."""
        return f"{100 - self.share(value):.2f}%"

    def ticks(self, parts: int = 4) -> list[PlotTick]:
        digits = 2 if self.high - self.low <= 10 else 0
        places = [self.low + part * (self.high - self.low) / parts for part in range(parts + 1)]
        return [PlotTick(self.across(place), self.up(place), rounded(place, digits)) for place in places]


@dataclass(frozen=True, slots=True)
class Dot:
    """A trap clip; `y` in px."""

    x: str
    y: int


@dataclass(frozen=True, slots=True)
class Strip:
    """A row of dots for each kind of trap clip; for mapped values, clips right of `middle` count as called human."""

    is_mapped: bool
    middle: str
    rest: str
    human: list[Dot]
    flawed: list[Dot]
    ticks: list[PlotTick]


@dataclass(frozen=True, slots=True)
class ClipMark:
    """A clip, or a system with its number in the table."""

    x: str
    y: str
    kind: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Scatter:
    """The metric (x) against listeners (y): clips as points, systems as numbers, fitted lines."""

    points: list[ClipMark]
    systems: list[ClipMark]
    lines: list[str]
    across: list[PlotTick]
    up: list[PlotTick]


def strip(traps: Traps, low: float | None, high: float | None) -> Strip:
    """Draw the trap clips of a metric with a scale from `low` to `high` (ATT paper, Figure 3)."""
    is_mapped = traps.mapped_human is not None
    human = traps.human if traps.mapped_human is None else traps.mapped_human
    flawed = traps.flawed if traps.mapped_flawed is None else traps.mapped_flawed
    span = Range.of([*human, *flawed], *((0.0, 1.0) if is_mapped else (low, high)))
    return Strip(
        is_mapped=is_mapped,
        middle=span.across(0.5) if is_mapped else "",
        rest=f"{100 - span.share(0.5):.2f}%" if is_mapped else "",
        human=_dots(human, span),
        flawed=_dots(flawed, span),
        ticks=span.ticks(),
    )


def _dots(values: Sequence[float], span: Range) -> list[Dot]:
    return [Dot(span.across(value), 6 + (index * 11) % SPREAD) for index, value in enumerate(values)]


def scatter(figures: MachineFigures, scale: Scale, low: float | None, high: float | None) -> Scatter:
    """Draw a metric with a scale from `low` to `high` against listeners."""
    across = Range.of([machine for machine, _people, _kind in figures.points], low, high)
    up = Range(scale.low, scale.high)
    return Scatter(
        points=[
            ClipMark(across.across(machine), up.up(people), kind or "machine")
            for machine, people, kind in figures.points
        ],
        systems=[
            ClipMark(across.across(row.mean), up.up(row.score), row.kind or "machine", number)
            for number, row in enumerate(figures.systems, start=1)
        ],
        lines=[
            " ".join(f"{across.share(x):.2f},{100 - up.share(y):.2f}" for x, y in sorted(_ends(line, across)))
            for line in figures.calibration
            if isinstance(line, Calibration)
        ],
        across=across.ticks(),
        up=up.ticks(),
    )


def _ends(calibration: Calibration, across: Range) -> list[tuple[float, float]]:
    """Extend the fitted line to both edges of the plot: beyond its ends it is level."""
    pairs = sorted(zip(calibration.at, calibration.fitted, strict=True))
    return [(across.low, pairs[0][1]), *pairs, (across.high, pairs[-1][1])]

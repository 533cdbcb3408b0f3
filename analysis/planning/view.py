"""Plans as pages show them: rounded numbers, and the curve as coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

from django.utils.translation import gettext as _

from analysis.planning import plans
from analysis.planning.inputs import PowerInputs, WidthInputs
from analysis.planning.models import PowerPlan
from analysis.planning.result import PowerPoint, PowerResults, WidthResults
from core.text.numbers import whole

# In units of the drawing; the page scales it.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 300, 76, 40, 16, 44
# Simulated shares are drawn with an interval of ± this many standard errors.
SPREAD = 1.96


@dataclass(frozen=True, slots=True)
class PowerMark:
    """A point of the curve with its whisker."""

    x: str
    y: str
    high: str
    low: str


@dataclass(frozen=True, slots=True)
class Box:
    """The edges of the drawing."""

    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    end: int = WIDTH - RIGHT
    base: int = HEIGHT - BOTTOM
    top: int = TOP


@dataclass(frozen=True, slots=True)
class PowerTick:
    """A labelled tick on a plot axis."""

    at: str
    label: str


@dataclass(frozen=True, slots=True)
class PowerRow:
    """The power of a number of raters, in percent: simulated, by formula, and of all pairs at once."""

    raters: str
    power: str
    error: str
    formula: str
    power_all: str
    formula_all: str
    is_needed: bool


@dataclass(frozen=True, slots=True)
class ClipsRow:
    """The raters needed for a number of clips per system."""

    clips: str
    raters: str | None


@dataclass(frozen=True, slots=True)
class AllPairs:
    """The effort of comparing all pairs at once, and their power with the raters needed for one pair."""

    pairs: str
    needed: str | None
    invited: str | None
    ratings: str | None
    best: str | None
    at_needed: str | None
    line: str


@dataclass(frozen=True, slots=True)
class PowerView:
    """The table, the drawing and the sentences of a power plan."""

    inputs: PowerInputs
    expected: list[str]
    is_simulated: bool
    needed: str | None
    of_all: AllPairs | None
    needed_x: str | None
    best: str | None
    takes: dict[str, str] | None
    is_too_many: bool
    rows: list[PowerRow]
    by_clips: list[ClipsRow]
    spread: dict[str, str]
    line: str
    marks: list[PowerMark]
    wanted_y: str
    wanted: str
    ticks_x: list[PowerTick]
    ticks_y: list[PowerTick]
    box: Box


@dataclass(frozen=True, slots=True)
class WidthRow:
    """A system and the width of its interval."""

    name: str
    ratings: str
    raters: str
    clips: str
    width: str
    is_reached: bool


@dataclass(frozen=True, slots=True)
class WidthView:
    """The results of a width plan."""

    inputs: WidthInputs
    reached: bool
    widest: str | None
    ratings: str
    raters: str
    raters_needed: str | None
    left: str | None
    pace: str
    date: str | None
    systems: list[WidthRow]


def power(plan: PowerPlan) -> PowerView:
    """Return a power plan as its page shows it."""
    factor = plans.shown_factor(plan)
    results = PowerResults.model_validate(plan.results).times(factor)
    inputs = PowerInputs.model_validate(plan.parameters).times(factor)
    points, takes = results.points, results.takes
    axis = _Axis(points)
    of_all = results.pairs > 1
    return PowerView(
        inputs=inputs,
        expected=[f"{value:.3g}" for value in results.expected],
        is_simulated=results.is_simulated,
        needed=_whole(results.needed),
        of_all=_of_all(results, axis) if of_all else None,
        needed_x=None if results.needed is None else axis.x(results.needed),
        best=None if results.best is None else _percent(results.best),
        takes=None if takes is None else {name: whole(round(value)) for name, value in takes},
        is_too_many=takes is not None and takes.tests_each > takes.capacity,
        rows=[
            PowerRow(
                raters=whole(point.raters),
                power=_percent(point.power),
                error=f"∓ {100 * SPREAD * point.error:.0f}" if results.is_simulated else "",
                formula=_percent(point.formula),
                power_all=_percent(point.power_all) if of_all else "",
                formula_all=_percent(point.formula_all) if of_all else "",
                is_needed=point.raters == results.needed,
            )
            for point in points
        ],
        by_clips=[ClipsRow(whole(row.clips), _whole(row.raters)) for row in results.by_clips],
        spread={name: f"{value:.3g}" for name, value in results.spread},
        line=_line(axis, [(point.raters, point.formula) for point in points]),
        marks=[_mark(axis, point) for point in points] if results.is_simulated else [],
        wanted_y=axis.y(inputs.power),
        wanted=_percent(inputs.power),
        ticks_x=[PowerTick(axis.x(raters), whole(raters)) for raters in axis.ticks],
        ticks_y=[PowerTick(axis.y(share / 4), f"{25 * share} %") for share in range(5)],
        box=Box(),
    )


def width(plan: PowerPlan, *, is_hidden: bool) -> WidthView:
    """Return a width plan as its page shows it; while scores are hidden, only all systems together."""
    factor = plans.shown_factor(plan)
    results = WidthResults.model_validate(plan.results).times(factor)
    inputs = WidthInputs.model_validate(plan.parameters).times(factor)
    systems = [
        WidthRow(
            name=row.name,
            ratings=whole(row.ratings),
            raters=whole(row.raters),
            clips=whole(row.clips),
            width=_("no interval yet") if row.width is None else f"{row.width:.3f}",
            is_reached=row.width is not None and row.width <= inputs.width,
        )
        for row in results.systems
    ]
    return WidthView(
        inputs=inputs,
        reached=results.reached,
        widest=None if results.widest is None else f"{results.widest:.3f}",
        ratings=whole(results.ratings),
        raters=whole(results.raters),
        raters_needed=_whole(results.raters_needed),
        left=_whole(results.left),
        pace=f"{results.pace:.1f}",
        date=results.date,
        systems=[] if is_hidden else systems,
    )


def _of_all(results: PowerResults, axis: _Axis) -> AllPairs:
    takes = results.takes_all
    at = {point.raters: point.formula_all for point in results.points}
    return AllPairs(
        pairs=whole(results.pairs),
        needed=_whole(results.needed_all),
        invited=None if takes is None else whole(takes.invited),
        ratings=None if takes is None else whole(takes.ratings),
        best=None if results.best_all is None else _percent(results.best_all),
        at_needed=_percent(at[results.needed]) if results.needed in at else None,
        line=_line(axis, at.items()),
    )


def _whole(count: int | None) -> str | None:
    return None if count is None else whole(count)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _line(axis: _Axis, points: Iterable[tuple[int, float]]) -> str:
    return " ".join(f"{axis.x(raters)},{axis.y(share)}" for raters, share in points)


class _Axis:
    """Axes of the drawing: raters on a logarithmic axis, power from 0 to 1."""

    def __init__(self, points: Sequence[PowerPoint]) -> None:
        raters = [point.raters for point in points]
        self._first, self._last = raters[0], raters[-1]
        self.ticks = [number for number in raters if number % 10 == 0] or [self._first, self._last]

    def x(self, raters: int) -> str:
        reach = log(self._last / self._first) or 1.0
        return f"{LEFT + (WIDTH - LEFT - RIGHT) * log(raters / self._first) / reach:.1f}"

    def y(self, share: float) -> str:
        return f"{HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(max(share, 0.0), 1.0):.1f}"


def _mark(axis: _Axis, point: PowerPoint) -> PowerMark:
    reach = SPREAD * point.error
    return PowerMark(
        axis.x(point.raters),
        axis.y(point.power),
        axis.y(point.power + reach),
        axis.y(point.power - reach),
    )

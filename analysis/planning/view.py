"""Plans as pages show them: the results, and the power curve as coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from math import log
from typing import TYPE_CHECKING, Any

from analysis.planning import plans, wording
from analysis.planning.inputs import PowerInputs, WidthInputs
from analysis.planning.models import PowerPlan
from analysis.planning.result import PowerPoint, PowerResults, WidthResults

if TYPE_CHECKING:
    from studies.definition.definition import Definition

# The drawing's own units; the page scales it.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 300, 76, 40, 16, 44
# Half the interval that a simulated share is drawn with.
SPREAD = 1.96
FIRST_PARTS = ("answer", "all")


@dataclass(frozen=True, slots=True)
class Box:
    """The drawing's edges."""

    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    end: int = WIDTH - RIGHT
    base: int = HEIGHT - BOTTOM
    top: int = TOP


def power_results(plan: PowerPlan) -> tuple[PowerInputs, PowerResults]:
    """Return inputs and results in the scale's shown units."""
    factor = plans.shown_factor(plan)
    inputs, results = PowerInputs.model_validate(plan.parameters), PowerResults.model_validate(plan.results)
    return inputs.times(factor), results.times(factor)


def width_results(plan: PowerPlan) -> tuple[WidthInputs, WidthResults]:
    """Return inputs and results in the scale's shown units."""
    factor = plans.shown_factor(plan)
    inputs, results = WidthInputs.model_validate(plan.parameters), WidthResults.model_validate(plan.results)
    return inputs.times(factor), results.times(factor)


def power(plan: PowerPlan, definition: Definition) -> dict[str, Any]:
    """Return what a power plan's page shows: the curve is between `answers` and `more`."""
    inputs, results = power_results(plan)
    answers = list(wording.parts(inputs, results, definition))
    return {
        "inputs": inputs,
        "results": results,
        "has_more_pairs": results.pairs > 1,
        "answers": [part for part in answers if part.key in FIRST_PARTS],
        "more": [part for part in answers if part.key not in FIRST_PARTS],
        "rows": [(point, SPREAD * point.error, point.raters == results.needed) for point in results.points],
        "curve": curve(results, inputs.power),
    }


def width(plan: PowerPlan, *, is_hidden: bool) -> dict[str, Any]:
    """Return what a width plan's page shows; while scores are hidden, only all systems together."""
    inputs, results = width_results(plan)
    return {
        "inputs": inputs,
        "results": results,
        "systems": () if is_hidden else results.systems,
    }


def curve(results: PowerResults, wanted: float) -> dict[str, Any]:
    """Return the drawing of power by number of raters: coordinates as text, for SVG."""
    axis = _Axis(results.points)
    return {
        "box": asdict(Box()),
        "line": axis.line((point.raters, point.formula) for point in results.points),
        "line_all": axis.line((point.raters, point.formula_all) for point in results.points),
        "marks": [_mark(axis, point) for point in results.points] if results.is_simulated else [],
        "wanted_y": axis.y(wanted),
        "needed_x": None if results.needed is None else axis.x(results.needed),
        "ticks_x": [(axis.x(raters), raters) for raters in axis.ticks],
        "ticks_y": [(axis.y(share / 4), share / 4) for share in range(5)],
    }


class _Axis:
    """Raters on a logarithmic axis, power from 0 to 1."""

    def __init__(self, points: Sequence[PowerPoint]) -> None:
        raters = [point.raters for point in points]
        self._first, self._last = raters[0], raters[-1]
        self.ticks = [number for number in raters if number % 10 == 0] or [self._first, self._last]

    def x(self, raters: int) -> str:
        reach = log(self._last / self._first) or 1.0
        return f"{LEFT + (WIDTH - LEFT - RIGHT) * log(raters / self._first) / reach:.1f}"

    def y(self, share: float) -> str:
        return f"{HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(max(share, 0.0), 1.0):.1f}"

    def line(self, points: Iterable[tuple[int, float]]) -> str:
        return " ".join(f"{self.x(raters)},{self.y(share)}" for raters, share in points)


def _mark(axis: _Axis, point: PowerPoint) -> dict[str, str]:
    reach = SPREAD * point.error
    return {
        "x": axis.x(point.raters),
        "y": axis.y(point.power),
        "high": axis.y(point.power + reach),
        "low": axis.y(point.power - reach),
    }

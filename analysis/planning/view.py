"""Plans as pages show them: numbers rounded, the curve as coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any

from django.utils.translation import gettext as _

from analysis.planning.models import PowerPlan
from analysis.plots.charts import whole

# The drawing's own units; the page scales it.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 300, 76, 40, 16, 44
# Half the interval that a simulated share is drawn with.
SPREAD = 1.96


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of the curve with its whisker."""

    x: str
    y: str
    high: str
    low: str


def power(plan: PowerPlan) -> dict[str, Any]:
    """Return the table, the drawing and the sentences of a power plan."""
    results, asked = plan.results, plan.inputs
    points = results["points"]
    axis = _Axis(points)
    # Plans of earlier releases were for one pair alone; of two systems there is no other.
    of_all = results.get("pairs", 1) > 1
    takes = results["takes"]
    return {
        "asked": asked,
        "expected": [f"{value:.3g}" for value in results["expected"]],
        "is_simulated": results["is_simulated"],
        "needed": None if results["needed"] is None else whole(results["needed"]),
        "of_all": _of_all(results, points, axis) if of_all else None,
        "needed_x": None if results["needed"] is None else axis.x(results["needed"]),
        "best": None if results["best"] is None else f"{100 * results['best']:.0f} %",
        "takes": takes and {name: whole(round(value)) for name, value in takes.items()},
        "is_too_many": bool(takes and takes["tests_each"] > takes["capacity"]),
        "rows": [
            {
                "raters": whole(point["raters"]),
                "power": f"{100 * point['power']:.0f} %",
                "error": f"∓ {100 * SPREAD * point['error']:.0f}" if results["is_simulated"] else "",
                "formula": f"{100 * point['formula']:.0f} %",
                "power_all": f"{100 * point['power_all']:.0f} %" if of_all else "",
                "formula_all": f"{100 * point['formula_all']:.0f} %" if of_all else "",
                "is_needed": point["raters"] == results["needed"],
            }
            for point in points
        ],
        "by_clips": [
            {"clips": whole(row["clips"]), "raters": None if row["raters"] is None else whole(row["raters"])}
            for row in results["by_clips"]
        ],
        "spread": {name: f"{value:.3g}" for name, value in results["spread"].items()},
        "line": _line(axis, points, "formula"),
        "marks": [_mark(axis, point) for point in points] if results["is_simulated"] else [],
        "wanted_y": axis.y(asked["power"]),
        "wanted": f"{100 * asked['power']:.0f} %",
        "ticks_x": [{"at": axis.x(raters), "label": whole(raters)} for raters in axis.ticks],
        "ticks_y": [{"at": axis.y(share / 4), "label": f"{25 * share} %"} for share in range(5)],
        "box": {
            "width": WIDTH,
            "height": HEIGHT,
            "left": LEFT,
            "end": WIDTH - RIGHT,
            "base": HEIGHT - BOTTOM,
            "top": TOP,
        },
    }


def width(plan: PowerPlan, *, is_hidden: bool) -> dict[str, Any]:
    """Return the results of a width plan; while scores are hidden, only those of all systems together."""
    results, asked = plan.results, plan.inputs
    return {
        "asked": asked,
        "reached": results["reached"],
        "widest": None if results["widest"] is None else f"{results['widest']:.3f}",
        "ratings": whole(results["ratings"]),
        "raters": whole(results["raters"]),
        "raters_needed": None if results["raters_needed"] is None else whole(results["raters_needed"]),
        "left": None if results["left"] is None else whole(results["left"]),
        "pace": f"{results['pace']:.1f}",
        "date": results["date"],
        "systems": []
        if is_hidden
        else [
            {
                "name": row["name"],
                "ratings": whole(row["ratings"]),
                "raters": whole(row["raters"]),
                "clips": whole(row["clips"]),
                "width": _("no interval yet") if row["width"] is None else f"{row['width']:.3f}",
                "is_reached": row["width"] is not None and row["width"] <= asked["width"],
            }
            for row in results["systems"]
        ],
    }


def _of_all(results: dict[str, Any], points: list[dict[str, Any]], axis: _Axis) -> dict[str, Any]:
    """Return what comparing all pairs at once takes, and the power that the raters for one pair give then."""
    needed, takes = results["needed_all"], results["takes_all"]
    at = {point["raters"]: point["formula_all"] for point in points}
    return {
        "pairs": whole(results["pairs"]),
        "needed": None if needed is None else whole(needed),
        "invited": None if takes is None else whole(takes["invited"]),
        "ratings": None if takes is None else whole(takes["ratings"]),
        "best": None if results["best_all"] is None else f"{100 * results['best_all']:.0f} %",
        "at_needed": f"{100 * at[results['needed']]:.0f} %" if results["needed"] in at else None,
        "line": _line(axis, points, "formula_all"),
    }


def _line(axis: _Axis, points: list[dict[str, Any]], name: str) -> str:
    return " ".join(f"{axis.x(point['raters'])},{axis.y(point[name])}" for point in points)


class _Axis:
    """Raters on a logarithmic axis, power from 0 to 1."""

    def __init__(self, points: list[dict[str, Any]]) -> None:
        self._first, self._last = points[0]["raters"], points[-1]["raters"]
        self.ticks = [point["raters"] for point in points if point["raters"] % 10 == 0] or [self._first, self._last]

    def x(self, raters: int) -> str:
        reach = log(self._last / self._first) or 1.0
        return f"{LEFT + (WIDTH - LEFT - RIGHT) * log(raters / self._first) / reach:.1f}"

    def y(self, share: float) -> str:
        return f"{HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(max(share, 0.0), 1.0):.1f}"


def _mark(axis: _Axis, point: dict[str, Any]) -> Mark:
    reach = SPREAD * point["error"]
    return Mark(
        axis.x(point["raters"]),
        axis.y(point["power"]),
        axis.y(point["power"] + reach),
        axis.y(point["power"] - reach),
    )

"""Where things stand on the page's pictures, in percent, ready to be written into SVG."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.plots.charts import rounded

# Dots of one row are spread over this height, in px, so that equal values don't hide one another.
SPREAD = 26


@dataclass(frozen=True, slots=True)
class Range:
    """A stretch of numbers along one side of a picture."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float], low: float | None, high: float | None) -> Range:
        """Return what holds all values and, where it is known, the whole scale; a single value gets some room."""
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
        """Return a place counted from the top, as SVG does."""
        return f"{100 - self.share(value):.2f}%"

    def ticks(self, parts: int = 4) -> list[dict[str, str]]:
        digits = 2 if self.high - self.low <= 10 else 0
        places = [self.low + part * (self.high - self.low) / parts for part in range(parts + 1)]
        anchors = ["start", *["middle"] * (parts - 1), "end"]
        return [
            {"x": self.across(place), "y": self.up(place), "label": rounded(place, digits), "anchor": anchor}
            for place, anchor in zip(places, anchors, strict=True)
        ]


def strip(traps: Mapping[str, Any], low: float | None, high: float | None) -> dict[str, Any]:
    """Return the picture of the trap clips: a row of dots for each kind, and where called human begins (Figure 3)."""
    is_mapped = traps["mapped_human"] is not None
    rows = [traps["mapped_human" if is_mapped else "human"], traps["mapped_flawed" if is_mapped else "flawed"]]
    span = Range.of([*rows[0], *rows[1]], *((0.0, 1.0) if is_mapped else (low, high)))
    return {
        "is_mapped": is_mapped,
        "middle": span.across(0.5) if is_mapped else "",
        "rest": f"{100 - span.share(0.5):.2f}%" if is_mapped else "",
        "human": _dots(rows[0], span),
        "flawed": _dots(rows[1], span),
        "ticks": span.ticks(),
    }


def _dots(values: Sequence[float], span: Range) -> list[dict[str, Any]]:
    return [{"x": span.across(value), "y": 6 + (index * 11) % SPREAD} for index, value in enumerate(values)]


def scatter(
    figures: Mapping[str, Any], scale: Mapping[str, Any], low: float | None, high: float | None
) -> dict[str, Any]:
    """Draw the metric (across) against listeners (up): clips as points, systems numbered, fitted lines."""
    across = Range.of([point[0] for point in figures["points"]], low, high)
    up = Range(scale["low"], scale["high"])
    lines = [
        " ".join(f"{across.share(x):.2f},{100 - up.share(y):.2f}" for x, y in sorted(_ends(calibration, across)))
        for calibration in figures["calibration"]
        if "at" in calibration
    ]
    return {
        "points": [
            {"x": across.across(machine), "y": up.up(people), "kind": kind or "machine"}
            for machine, people, kind in figures["points"]
        ],
        "systems": [
            {
                "x": across.across(row["mean"]),
                "y": up.up(row["score"]),
                "kind": row["kind"] or "machine",
                "number": number,
            }
            for number, row in enumerate(figures["systems"], start=1)
        ],
        "lines": lines,
        "across": across.ticks(),
        "up": up.ticks(),
    }


def _ends(calibration: Mapping[str, Any], across: Range) -> list[tuple[float, float]]:
    """Return the bends of a fitted line, and its level out to both sides of the picture."""
    pairs = sorted(zip(calibration["at"], calibration["fitted"], strict=True))
    return [(across.low, pairs[0][1]), *pairs, (across.high, pairs[-1][1])]

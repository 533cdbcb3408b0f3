"""Seconds a clip as a picture."""

from __future__ import annotations

from typing import Any

from analysis.plots import canvas, dots
from analysis.plots.canvas import Plot
from analysis.plots.dots import Look, Mark, Row, label
from analysis.plots.words import number
from analysis.sections.stored import section


def plot(results: dict[str, Any]) -> Plot | None:
    """Draw median and mean seconds per clip by system."""
    rows = [
        row for row in section(results, "times").get("rows", [])
        if row["response_median"] is not None and row["response_mean"] is not None
    ]  # fmt: skip
    if not rows:
        return None
    looks = [Look("Median", canvas.INK, "o"), Look("Mean", canvas.INK, "D", is_hollow=True)]
    most = max(max(row["response_median"], row["response_mean"]) for row in rows)
    lines = [
        Row(
            label(row["name"], row["kind"]) if row["name"] or row["kind"] else "All clips",
            (Mark(row["response_median"], look=0), Mark(row["response_mean"], look=1)),
            f"{number(row['response_median'], 1)} · {number(row['response_mean'], 1)}",
        )
        for row in rows
    ]
    with canvas.sheet(dots.height(lines, looks), text="".join(row.label for row in lines)) as figure:
        dots.draw(figure, lines, looks, axis="Seconds from the clip shown to the answer", ends=(0.0, most))
        said = "; ".join(
            f"{line.label} median {number(row['response_median'], 1)}, mean {number(row['response_mean'], 1)}"
            for line, row in zip(lines, rows, strict=True)
        )
        return canvas.finish(figure, name="times", title="Seconds per clip", alt=f"Seconds per clip. {said}.")

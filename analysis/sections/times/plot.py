"""The plot of seconds per clip."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots import canvas, dots
from analysis.plots.canvas import Plot
from analysis.plots.dots import DotMark, DotRow, Series, label
from analysis.plots.words import number
from analysis.sections.parts import enumerated
from analysis.sections.results import Results
from analysis.sections.shared import Refusal


def plot(results: Results) -> Plot | None:
    """Draw median and mean seconds per clip by system."""
    times = results.times
    if isinstance(times, Refusal):
        return None
    rows = [
        (row, row.response_median, row.response_mean)
        for row in times.rows
        if row.response_median is not None and row.response_mean is not None
    ]
    if not rows:
        return None
    looks = [Series(_("Median"), canvas.INK, "o"), Series(_("Mean"), canvas.INK, "D", is_hollow=True)]
    most = max(max(median, mean) for _row, median, mean in rows)
    lines = [
        DotRow(
            label(row.name, row.kind) if row.name or row.kind else _("All clips"),
            (DotMark(median, look=0), DotMark(mean, look=1)),
            f"{number(median, 1)} · {number(mean, 1)}",
        )
        for row, median, mean in rows
    ]
    with canvas.sheet(dots.height(lines, looks)) as figure:
        dots.draw(figure, lines, looks, axis=_("Seconds from the clip shown to the answer"), ends=(0.0, most))
        words = _("{name} median {median}, mean {mean}")
        values = enumerated(
            [
                words.format(name=line.label, median=number(median, 1), mean=number(mean, 1))
                for line, (_row, median, mean) in zip(lines, rows, strict=True)
            ]
        )
        alt = _("Seconds per clip. {values}.").format(values=values)
        return canvas.finish(figure, name="times", title=_("Seconds per clip"), alt=alt)

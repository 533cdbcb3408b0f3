"""Plots of how often each code was given."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _

from analysis.plots import canvas, dots
from analysis.plots.canvas import Plot
from analysis.plots.dots import DotMark, DotRow
from analysis.plots.words import fold, number
from analysis.sections.breakdowns import Breakdown, GroupCounts
from analysis.sections.parts import enumerated, listed
from analysis.sections.results import Results
from analysis.sections.shared import Refusal

# Groupings in order of preference; the first one with groups is drawn.
BY = ("domain", "system", "overall")
LABELS = "label"


def shares(results: Results) -> list[Plot]:
    """Draw each breakdown: a row for each code, a mark for each group."""
    breakdowns = results.breakdowns
    tables = () if isinstance(breakdowns, Refusal) else breakdowns.tables
    return [plot for table in tables if table.part != LABELS and (plot := _shares(table)) is not None]


def _shares(table: Breakdown) -> Plot | None:
    groups = next((columns for by in BY if (columns := _groups(table.groups.get(by, ())))), [])
    if not groups:
        return None
    looks = dots.looks_of([(group.name or _("All"), group.kind) for group in groups])
    values = [[100 * count / group.of for count in group.counts] for group in groups]
    # In the order of the table, which for a scale is the scale's own.
    rows = [
        DotRow(fold(line.label, 22), tuple(DotMark(column[at], look=number) for number, column in enumerate(values)))
        for at, line in enumerate(table.lines)
    ]
    what = table.title
    axis, alt = (
        (_("{what} (% of all questions answered)"), _("{what} in percent of all questions answered. {shares}."))
        if table.per
        else (_("{what} (% of all usable answers)"), _("{what} in percent of all usable answers. {shares}."))
    )
    with canvas.sheet(dots.height(rows, looks, per=0.2) + 0.1 * (len(looks) // 3)) as figure:
        dots.draw(figure, rows, looks, axis=axis.format(what=what))
        shares = enumerated(
            [
                _("{name}: {values}").format(
                    name=line.label,
                    values=listed(
                        [f"{look.name} {number(column[at], 1)}" for look, column in zip(looks, values, strict=True)]
                    ),
                )
                for at, line in enumerate(table.lines)
            ]
        )
        title = _("{what} by group").format(what=what)
        return canvas.finish(figure, name=f"shares-{table.part}", title=title, alt=alt.format(what=what, shares=shares))


def _groups(columns: Iterable[GroupCounts]) -> list[GroupCounts]:
    """Return groups with answers, human speech first; none if there are too many to distinguish."""
    groups = sorted((each for each in columns if each.of and each.kind != "anchor"), key=lambda g: g.kind != "human")
    return groups if len(groups) <= dots.MOST_SERIES else []

"""What was answered: how often each code."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.plots import canvas, dots, series
from analysis.plots.canvas import Plot
from analysis.plots.dots import Look, Mark, Row
from analysis.plots.words import fold, number
from analysis.sections.breakdowns.result import Breakdown, Column
from analysis.sections.results import Results
from analysis.sections.shared import Refusal

# What a group of systems tells most about, where the manifest names it.
BY = ("domain", "system", "overall")
LABELS = "label"


def shares(results: Results) -> list[Plot]:
    """Draw each breakdown: codes down, a mark for each group."""
    breakdowns = results.breakdowns
    tables = () if isinstance(breakdowns, Refusal) else breakdowns.tables
    return [plot for table in tables if table.part != LABELS and (plot := _shares(table)) is not None]


def _shares(table: Breakdown) -> Plot | None:
    groups = next((columns for by in BY if (columns := _groups(table.groups.get(by, ())))), [])
    if not groups:
        return None
    looks = series.looks([(group.name or "All", group.kind) for group in groups])
    values = [[100 * count / group.of for count in group.counts] for group in groups]
    order = sorted(range(len(table.lines)), key=lambda line: -max(column[line] for column in values))
    rows = [
        Row(
            fold(table.lines[line].label, 22),
            tuple(Mark(column[line], look=number) for number, column in enumerate(values)),
        )
        for line in order
    ]
    what = table.title
    of = "of all usable answers" if not table.per else "of all questions answered"
    with canvas.sheet(dots.height(rows, looks, per=0.2) + 0.1 * (len(looks) // 3), text=_text(rows, looks)) as figure:
        dots.draw(figure, rows, looks, axis=f"{what} (% {of})")
        said = "; ".join(
            f"{table.lines[line].label}: "
            + ", ".join(f"{look.name} {number(column[line], 1)}" for look, column in zip(looks, values, strict=True))
            for line in order
        )
        return canvas.finish(
            figure, name=f"shares-{table.part}", title=f"{what} by group", alt=f"{what} in percent {of}. {said}."
        )


def _groups(columns: Iterable[Column]) -> list[Column]:
    """Return groups with answers, human speech first; none when they are too many to be told apart."""
    groups = sorted((each for each in columns if each.of and each.kind != "anchor"), key=lambda g: g.kind != "human")
    return groups if len(groups) <= series.MOST else []


def _text(rows: list[Row], looks: list[Look]) -> str:
    return "".join([*(row.label for row in rows), *(look.name for look in looks)])

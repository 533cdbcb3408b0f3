"""Figure 3 and Table 4 of the Audio Turing Test paper: judges on trap clips, and judges' orders of voices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from analysis.plots import canvas
from analysis.plots.canvas import Plot
from analysis.plots.dots import label
from analysis.plots.words import number
from analysis.sections.judges import Judge, TrapDot, VoiceRanks
from analysis.sections.parts import enumerated
from analysis.sections.tables import Cell, Column, Table, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME, DOTS, TABLE4 = "att_figure3", "att_figure3_dots", "att_table4"
NONE = "No judge and no metric has values for this study's clips: import them (docs/metrics.md)."
FIGURE3_TITLE = "Figure 3. Trap clips by each judge, as a yes/no test with human as positive"
TABLE4_TITLE = "Table 4. Kendall's distance between voices as ranked by each judge and by listeners"
AT_HALF = "A clip is called human from 0.5 on, so those at exactly 0.5 are, too."
MARKS = {"trap_human": ("human", "D"), "trap_flawed": ("", "o")}
DIGITS = 4
ROW, FOOT = 0.42, 0.55
# Dots of a row are spread over five lines, so that equal values don't hide each other.
LINES = 5


def tables(judges: Sequence[Judge]) -> list[Table]:
    """Return the figures behind Figure 3, a row a judge, and Table 4."""
    return [_traps(judges), _orders(judges)]


def dots(judges: Sequence[Judge]) -> Table:
    """Return the dots of Figure 3, a row for each judge and trap clip."""
    columns = (*titled("Judge", "Clip", "Role"), *titled("Value", "From 0 to 1", digits=DIGITS))
    rows = tuple((judge.name, dot.clip, dot.role, dot.value, dot.mapped) for judge in judges for dot in judge.dots)
    return Table(DOTS, FIGURE3_TITLE, columns, rows)


def figure(judges: Sequence[Judge]) -> Plot | None:
    """Draw Figure 3: a row of dots for each role and judge with a known scale; None if there is none."""
    drawn = [judge for judge in judges if judge.dots and judge.dots[0].mapped is not None]
    if not drawn:
        return None
    with canvas.sheet(ROW * len(drawn) + FOOT) as sheet:
        axes = sheet.subplots()
        for place, judge in enumerate(drawn):
            for row, role in enumerate(MARKS):
                _row(axes, [dot for dot in judge.dots if dot.role == role], role, place + 0.5 * row)
        axes.axvline(0.5, color=canvas.QUIET, lw=0.8, ls=(0, (3, 2)), zorder=2)
        axes.set_yticks([place + 0.25 for place in range(len(drawn))], [label(judge.name) for judge in drawn])
        axes.set_ylim(len(drawn) - 0.2, -0.3)
        axes.set_xlim(-0.02, 1.02)
        axes.set_xlabel(_("Value from 0 to 1; human from 0.5 on"))
        right = axes.secondary_yaxis("right")
        right.set_yticks(
            [place + 0.25 for place in range(len(drawn))],
            ["–" if judge.at is None else f"F1 {number(judge.at.f1, 2)}" for judge in drawn],
        )
        right.tick_params(length=0, labelsize=canvas.SMALL)
        right.spines["right"].set_visible(False)
        canvas.plain(axes)
        handles = [
            axes.plot([], [], shape, color=canvas.COLOURS[kind], ms=3.2, label=name)[0]
            for (kind, shape), name in zip(MARKS.values(), (_("Human traps"), _("Flawed traps")), strict=True)
        ]
        sheet.legend(handles=handles, loc="outside upper left", ncols=2, frameon=False, borderaxespad=0.2)
        title = _("Trap clips by each judge")
        return canvas.finish(sheet, name=NAME, title=title, alt=f"{title}. {enumerated(list(map(_said, drawn)))}.")


def _row(axes: Axes, row: Sequence[TrapDot], role: str, place: float) -> None:
    """Draw one row: the zone where its dots belong, and the dots."""
    kind, shape = MARKS[role]
    start = 0.5 if role == "trap_human" else 0.0
    axes.fill_between([start, start + 0.5], place - 0.22, place + 0.22, color=canvas.COLOURS[kind], alpha=0.14, lw=0)
    across = [dot.mapped for dot in row]
    down = [place + 0.07 * (at % LINES - LINES // 2) for at in range(len(row))]
    axes.plot(across, down, shape, ms=2.4, mew=0.4, color=canvas.COLOURS[kind], alpha=0.8, zorder=3)


def _said(judge: Judge) -> str:
    if judge.at is None:
        return _("{name}: no F1").format(name=judge.name)
    words = _("{name}: F1 {f1}; {hits} of {human} human traps and {alarms} of {flawed} flawed ones are called human")
    human, flawed = judge.at.hits + judge.at.misses, judge.at.false_alarms + judge.at.rejections
    return words.format(
        name=judge.name, f1=number(judge.at.f1, 2), hits=judge.at.hits, human=human, alarms=judge.at.false_alarms,
        flawed=flawed,
    )  # fmt: skip


def _traps(judges: Sequence[Judge]) -> Table:
    if not judges:
        return Table(NAME, FIGURE3_TITLE, (Column("Judge"),), (), (NONE,))
    columns = (
        *titled("Judge", "Human traps", "Flawed traps"),
        *titled("F1", "F1 of always human", "Precision", "Recall", "Balanced accuracy", "AUC", digits=2),
        *titled("At exactly 0.5", "Mapping of value m"),
    )
    rows = tuple(_of_judge(judge) for judge in judges)
    notes = [AT_HALF]
    notes += [f"{judge.name}: {judge.refused}" for judge in judges if judge.refused]
    notes += [
        f"{judge.name}: {len(judge.dots)} of {judge.asked} trap clips have a value."
        for judge in judges
        if len(judge.dots) < judge.asked
    ]
    return Table(NAME, FIGURE3_TITLE, columns, rows, tuple(notes))


def _of_judge(judge: Judge) -> tuple[Cell, ...]:
    human = sum(dot.role == "trap_human" for dot in judge.dots)
    at = judge.at
    figures = (None,) * 5 if at is None else (at.f1, at.always, at.precision, at.recall, at.balanced)
    return (judge.name, human, len(judge.dots) - human, *figures, judge.auc, judge.at_half, judge.formula or None)


def _orders(judges: Sequence[Judge]) -> Table:
    """Return a row for each dimension; a star marks distances in dimensions that the judge was trained on."""
    if not judges:
        return Table(TABLE4, TABLE4_TITLE, (Column("Dimension"),), (), (NONE,))
    by_judge = [{row.dimension: row for row in judge.ranks} for judge in judges]
    names = ["", *sorted({name for ranks in by_judge for name in ranks} - {""})]
    columns = [Column("Dimension")]
    for judge in judges:
        columns += titled(judge.name, f"{judge.name} p", f"{judge.name}, raters’ halves", digits=DIGITS)
        columns.append(Column(f"{judge.name}, voices"))
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        cells = [cell for ranks in by_judge for cell in _distance(ranks.get(name))]
        rows.append((name or "All", *cells))
    starred = tuple(
        (down, 1 + 4 * across)
        for down, name in enumerate(names)
        for across, ranks in enumerate(by_judge)
        if name in ranks and ranks[name].seen and ranks[name].distance is not None
    )
    return Table(TABLE4, TABLE4_TITLE, tuple(columns), tuple(rows), tuple(_notes(judges, bool(starred))), starred)


def _distance(row: VoiceRanks | None) -> tuple[Cell, ...]:
    return (None, None, None, None) if row is None else (row.distance, row.p, row.halves, row.voices)


def _notes(judges: Sequence[Judge], is_starred: bool) -> list[str]:
    notes = ["The share of pairs of voices in the opposite order, a tie counting ½; lower is better."]
    if is_starred:
        notes.append("* The judge was trained on this dimension.")
    if any(row.method == "permutation" for judge in judges for row in judge.ranks):
        notes.append("p is exact where no two voices tie, otherwise from random permutations.")
    notes.append("Raters’ halves: the same distance between two random halves of the raters.")
    refused = {f"{judge.name}, {row.dimension or 'All'}: {row.refused}" for judge in judges for row in judge.ranks
               if row.refused}  # fmt: skip
    return [*notes, *sorted(refused)]

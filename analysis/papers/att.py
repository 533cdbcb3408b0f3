"""Tables 3, 4 and 6 and the data of Figures 2 and 3 of the Audio Turing Test paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.papers import att_judges, shared
from analysis.papers.shared import HONEST, Estimate, edges, estimates
from analysis.sections.mixed_models import posterior
from analysis.sections.tables import Cell, Column, Table
from studies.task_types.base import ScoreScale

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.sections.results import Material

EVERY_VOICE = "All voices"
BOXES = ("white", "black")
DIGITS = 4
TITLES = {
    "att_table6": "Table 6. {score} by system, voice and dimension",
    "att_figure2a": "Figure 2(a). {score} by system, with white and black box apart",
    "att_figure2b": "Figure 2(b). {score} by system and dimension",
}


def tables(studies: Sequence[Material]) -> list[Table]:
    """Return the tables of the first study and of those with the same task; a note names the others."""
    first = studies[0]
    same = [study for study in studies if study.kind.name == first.kind.name]
    scale = first.kind.score
    rows = shared.joined_rows(same)
    table3 = posterior.table(first)
    if rows.empty:
        others = [_empty(name, title.format(score=scale.name)) for name, title in TITLES.items()]
    else:
        others = [_voices(rows, scale), _boxes(rows, scale), _dimensions(rows, scale)]
    of_judges = att_judges.tables(first.judges)
    return [table3, *(noted(table, studies, same) for table in others), *of_judges]


def noted(table: Table, studies: Sequence[Material], same: Sequence[Material]) -> Table:
    """Add a note on studies with scores that can't be compared with the first one's."""
    others = [study for study in studies if study not in same]
    if not others:
        return table
    note = f"Not joined, since another kind of answer was asked there: {shared.slugs(others)}."
    return Table(table.name, table.title, table.columns, table.rows, (*table.notes, note))


def _voices(rows: DataFrame, scale: ScoreScale) -> Table:
    """Cells are means over answers, margins unweighted means of cells: each voice and dimension counts alike."""
    cells = rows.groupby(["label", "voice", "dimension"], observed=True)["score"].mean()
    dimensions = shared.levels(rows["dimension"]) or [""]
    body: list[tuple[Cell, ...]] = []
    is_partial = False
    means = rows.groupby("label")["score"].mean().to_dict()
    for label in shared.order({str(name): mean for name, mean in means.items()}):
        voices = sorted(str(voice) for voice in cells[label].index.get_level_values("voice").unique())
        grid = [[_at(cells, label, voice, dimension) for dimension in dimensions] for voice in voices]
        body += [(label, voice or None, *line, _mean(line)) for voice, line in zip(voices, grid, strict=True)]
        columns = [_mean(list(column)) for column in zip(*grid, strict=True)]
        if len(voices) > 1:
            body.append((label, EVERY_VOICE, *columns, _mean(columns)))
        is_partial |= any(value is None for line in grid for value in line)
    notes = ["Cells are means over answers; margins are unweighted means of cells, as in the paper."]
    if is_partial:
        notes.append("A dash: nobody rated that voice in that dimension, so that its margins would not compare.")
    if (rows["dimension"] == "").any() and dimensions != [""]:
        notes.append("Answers on clips without a dimension are in no cell.")
    columns_ = [Column(dimension or "All", DIGITS) for dimension in dimensions]
    title = TITLES["att_table6"].format(score=scale.name)
    return Table(
        "att_table6", title, (Column("System"), Column("Voice"), *columns_, Column("Mean", DIGITS)), tuple(body),
        tuple(notes),
    )  # fmt: skip


def _boxes(rows: DataFrame, scale: ScoreScale) -> Table:
    parts: dict[str, dict[str, Estimate]] = {"overall": _means(rows, scale)}
    parts |= {box: means for box in BOXES if (means := _means(rows[rows["box"] == box], scale))}
    notes = [HONEST]
    if len(parts) < 3:
        notes.append("The clips are not in two boxes, white and black, so that these can't be told apart.")
    title = TITLES["att_figure2a"].format(score=scale.name)
    return _figure("att_figure2a", title, parts, notes)


def _dimensions(rows: DataFrame, scale: ScoreScale) -> Table:
    names = shared.levels(rows["dimension"])
    title = TITLES["att_figure2b"].format(score=scale.name)
    if not names:
        return Table("att_figure2b", title, (Column("System"),), (), ("The manifest names no dimension.",))
    return _figure(
        "att_figure2b", title, {name: _means(rows[rows["dimension"] == name], scale) for name in names}, [HONEST]
    )


def _figure(name: str, title: str, parts: dict[str, dict[str, Estimate]], notes: list[str]) -> Table:
    """Return a table with systems as rows and, for each part, its mean and interval as columns."""
    everyone = {label: row.whole.mean for part in reversed(parts.values()) for label, row in part.items()}
    body: list[tuple[Cell, ...]] = []
    for label in shared.order(everyone):
        line: list[Cell] = [label]
        for part in parts.values():
            whole = part[label].whole if label in part else None
            line += [whole.mean, whole.low, whole.high] if whole else [None, None, None]
        body.append(tuple(line))
    if any(cell is None for line in body for cell in line):
        notes = [*notes, "A dash: no answers there, or, for an interval, too few raters or clips."]
    notes = [*notes, *(f"{part}: {note}" for part, means in parts.items() for note in edges(means))]
    columns = [Column(f"{part} {end}".strip(), DIGITS) for part in parts for end in ("", "low", "high")]
    return Table(name, title, (Column("System"), *columns), tuple(body), tuple(notes))


def _means(rows: DataFrame, scale: ScoreScale) -> dict[str, Estimate]:
    return {} if rows.empty else estimates(rows.assign(whole=""), "whole", low=scale.low, high=scale.high)


def _at(cells: object, label: str, voice: str, dimension: str) -> float | None:
    mean = cells.get((label, voice, dimension))  # type: ignore[attr-defined]
    return None if mean is None else float(mean)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _empty(name: str, title: str) -> Table:
    return Table(name, title, (Column("System"),), (), ("No answer counts yet.",))

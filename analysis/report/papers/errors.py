"""The SP-MCQA paper's Table 4: wrong answers by type of error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.report.papers import counts, joined
from analysis.report.papers.table import Cell, Column, Table

if TYPE_CHECKING:
    from analysis.report.material import Material

NAME = "sp_mcqa_table4"
TITLE = "Table 4. Wrong answers by type of error"
PARTS = ("phonetic", "semantic", "syntax", "grammar", "structure", "other")
OF_WRONG = ("phonetic", "semantic", "syntax", "grammar", "other")


def table(studies: Sequence[Material]) -> Table:
    """Return counts and percent of all questions answered; syntax and grammar also together, as Structure."""
    found = counts.read(studies, "error", "system")
    if not found.of:
        return Table(NAME, TITLE, (Column("System"),), (), ("No answer to a question counts yet.",))
    known = [code for code in PARTS if code in found.labels]
    extra = [code for code in found.labels if code not in PARTS]
    rows: list[tuple[Cell, ...]] = []
    wrong = {name: sum(given.get(code, 0) for code in (*OF_WRONG, *extra)) for name, given in found.given.items()}
    means = {name: 1 - wrong[name] / of for name, of in found.of.items() if of}
    for name in joined.order(means):
        line: list[Cell] = [name, found.of[name], wrong[name]]
        for code in (*known, *extra):
            line += [found.given[name].get(code, 0), found.share(name, code)]
        rows.append(tuple(line))
    heads = [
        column
        for code in (*known, *extra)
        for column in (Column(found.labels[code]), Column(f"{found.labels[code]} %", 3))
    ]
    notes = (
        "Percentages are of all questions answered. Structure is syntax and grammar together; golden questions are "
        "in none of the numbers.",
    )
    return Table(NAME, TITLE, (Column("System"), Column("Questions"), Column("Wrong"), *heads), tuple(rows), notes)

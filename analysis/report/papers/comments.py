"""The SP-MCQA paper's Table 5: what raters wrote when none of the answers fitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from analysis.data.groups import HUMAN
from analysis.report.papers.joined import NAMED
from analysis.report.papers.table import Column, Table
from analysis.report.sections import section

if TYPE_CHECKING:
    from analysis.report.material import Material

NAME = "sp_mcqa_table5"
TITLE = "Table 5. Comments on the answer Other"
NOT_CODED, NO_CODE = "not coded", "no code fits"
COLUMNS = (Column("Question"), Column("System"), Column("Comment"), Column("Related issue"))


def table(studies: Sequence[Material]) -> Table:
    """Return the comments as they were written, with the codes that experts found in them.

    They are raters' own words, which no stored result holds: whoever wants them puts them into `results` ("comments",
    as `figures.notes` reads them).
    """
    sections = [section(study.results, "comments") for study in studies]
    rows = [
        (note["prompt"], NAMED if note["kind"] == HUMAN else note["system"], note["note"], _issue(note))
        for found in sections
        for note in found.get("listed", [])
    ]
    total = sum(found.get("total", 0) for found in sections)
    notes = []
    if not rows:
        notes.append("All comments are in the download: ratings.csv, column note, of the rows whose code is other.")
    elif total > len(rows):
        notes.append(f"The first {len(rows)} of {total}; the download has them all.")
    return Table(NAME, TITLE, COLUMNS, tuple(sorted(rows, key=lambda row: (str(row[1]), str(row[0])))), tuple(notes))


def _issue(note: dict[str, Any]) -> str:
    """Return the codes of a comment, in words where there are none."""
    issue: str | None = note.get("issue")
    return NOT_CODED if issue is None else issue or NO_CODE

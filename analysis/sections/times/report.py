"""Seconds a clip, in the report."""

from __future__ import annotations

from analysis.sections.parts import Part, Results, name_of
from analysis.sections.stored import is_there, section
from analysis.sections.tables import Column, Table


def part(results: Results) -> Part:
    """Return seconds per clip."""
    found = section(results, "times")
    if not is_there(found):
        return Part("times", "Times", refused=found["refused"])
    keys = ("response_median", "response_mean", "decision_median", "decision_mean")
    rows = tuple((name_of(row), row["clips"], *(row[key] for key in keys)) for row in found["rows"])
    heads = ("Response, median", "Response, mean", "Decision, median", "Decision, mean")
    columns = (Column("System"), Column("Clips heard"), *(Column(head, 1) for head in heads))
    notes = (
        "Response: from the clip shown to the answer. Decision: from the end of the first full play. "
        "A screen is divided by its clips.",
    )
    return Part("times", "Times", (), (Table("times", "Seconds per clip", columns, rows, notes),), ("times",))

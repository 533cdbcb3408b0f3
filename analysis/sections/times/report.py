"""Seconds a clip, in the report."""

from __future__ import annotations

from analysis.sections.parts import Part, name_of
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table


def part(results: Results) -> Part:
    """Return seconds per clip."""
    times = results.times
    if isinstance(times, Refusal):
        return Part("times", "Times", refused=times.refused)
    rows = tuple(
        (name_of(row), row.clips, row.response_median, row.response_mean, row.decision_median, row.decision_mean)
        for row in times.rows
    )
    heads = ("Response, median", "Response, mean", "Decision, median", "Decision, mean")
    columns = (Column("System"), Column("Clips heard"), *(Column(head, 1) for head in heads))
    notes = (
        "Response: from the clip shown to the answer. Decision: from the end of the first full play. "
        "A screen is divided by its clips.",
    )
    return Part("times", "Times", (), (Table("times", "Seconds per clip", columns, rows, notes),), ("times",))

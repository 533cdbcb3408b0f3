"""What was compared, in the report."""

from __future__ import annotations

from typing import Any

from analysis.sections.parts import Part, name_of
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table


def part(results: Results) -> Part:
    """Return what was to be heard, by whom, under which protocol."""
    design = results.design
    if isinstance(design, Refusal):
        return Part("design", "Design", refused=design.refused)
    systems = tuple(
        (name_of(row), ", ".join(row.voices) or None, row.clips, row.texts, row.ratings, row.raters)
        for row in design.systems
    )
    heads = ("System", "Voices", "Clips", "Texts", "Ratings", "Raters")
    settings = tuple(
        (name.replace("_", " "), _setting(value))
        for group in (design.protocol, design.parameters)
        for name, value in group.items()
    )
    tables = (
        Table("systems", "What was heard, among the ratings that count", tuple(map(Column, heads)), systems),
        Table("settings", "Settings of the study", (Column("Setting"), Column("Value")), settings),
    )
    return Part("design", "Design", tuple(design.scope), tables)


def _setting(value: Any) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)

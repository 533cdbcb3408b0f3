"""Who took part, in the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analysis.sections.participants import recruited, screened
from analysis.sections.parts import Part, Results
from analysis.sections.stored import is_there, section
from analysis.sections.tables import Cell, Column, Table

if TYPE_CHECKING:
    from studies.definition.definition import Definition


ADDS_UP = ("Counted in sessions. Each number is the one above it with the changes between them.",)


def part(results: Results, definition: Definition | None = None) -> Part:
    """Return the way of people through the study."""
    found = section(results, "participants")
    if not is_there(found):
        return Part("participants", "Participants", refused=found["refused"])
    steps = tuple(_step(step) for step in found["steps"])
    batches = tuple((name, number) for name, number in found["batches"].items())
    sentences = []
    if found["minutes_median"] is not None:
        sentences.append(
            f"A session took {found['minutes_median']:.1f} minutes (median of {found['minutes_sessions']})."
        )
    tables = (
        Table(
            "flow", "Flow of participants", tuple(map(Column, ("Sessions that", "Number", "Change"))), steps, ADDS_UP
        ),
        *screened.tables(found),
        Table("batches", "Batches", (Column("State"), Column("Number")), batches),
        *recruited.tables(definition.recruitment if definition else None, recruited.about_of(found)),
    )
    return Part("participants", "Participants", tuple(sentences), tables, ("flow",))


def _step(step: dict[str, Any]) -> tuple[Cell, ...]:
    if step["is_exit"]:
        return step["label"], None, -step["count"]
    return (step["label"], None, step["count"]) if step.get("is_entry") else (step["label"], step["count"], None)

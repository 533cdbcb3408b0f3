"""The page of an analysis: the parts of its report, each with a summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.report import document
from analysis.report.summary import LEADS
from analysis.sections.blocks import Block
from analysis.sections.participants import display as participants_display
from analysis.sections.results import Results
from analysis.sections.sentences import in_language

if TYPE_CHECKING:
    from analysis.sections.tables import Table
    from studies.definition.definition import Definition

# The report starts with them; the page starts with the results.
LAST = ("participants", "exclusions", "design", "plan", "checklist", "papers")


def blocks(results: Results, definition: Definition | None = None, papers: Sequence[Table] = ()) -> list[Block]:
    """Return all parts of the report but its prose, summary and methods; refused ones say why."""
    parts = {part.key: part for part in document.parts(results, definition, papers) if not part.is_prose}
    local_results = in_language(results)
    return [
        Block(
            parts[key],
            LEADS[key](local_results) if key in LEADS else (),
            participants_display.bars(local_results) if key == "participants" else (),
        )
        for key in [*(key for key in parts if key not in LAST), *(key for key in LAST if key in parts)]
    ]

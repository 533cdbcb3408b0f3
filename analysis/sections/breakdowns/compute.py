"""How often each code was named."""

from __future__ import annotations

from analysis.sections.breakdowns import Breakdowns
from analysis.sections.inputs import AnalysisInput
from analysis.stats.design import NotEstimable
from core.text.words import say


def compute(inputs: AnalysisInput) -> Breakdowns:
    """Return how often each marker, error or label was given, by group (rules C3 and C5)."""
    if not inputs.kind.breakdowns:
        raise NotEstimable(say("This task asks for nothing beside its score."))
    breakdowns = Breakdowns(tables=inputs.facts.breakdowns)
    if not any(column.of for table in breakdowns.tables for columns in table.groups.values() for column in columns):
        raise NotEstimable(say("No rating counts yet."))
    return breakdowns

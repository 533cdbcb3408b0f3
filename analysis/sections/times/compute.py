"""Seconds a clip, by system."""

from __future__ import annotations

from analysis.sections.inputs import AnalysisInput, SystemTimes
from analysis.sections.times import Seconds, Times
from analysis.stats.design import NotEstimable
from core.text.words import say


def compute(inputs: AnalysisInput) -> Times:
    """Return seconds a clip, median beside mean, by system and then of all (rule C4)."""
    rows = tuple(_seconds(row) for row in inputs.facts.times)
    if not rows:
        raise NotEstimable(say("No rating counts yet, so no time was taken."))
    return Times(rows=rows)


def _seconds(row: SystemTimes) -> Seconds:
    response, decision = row.response, row.decision
    return Seconds(
        name=row.name,
        kind=row.kind,
        clips=row.clips,
        response_median=response.median if response else None,
        response_mean=response.mean if response else None,
        decision_median=decision.median if decision else None,
        decision_mean=decision.mean if decision else None,
    )

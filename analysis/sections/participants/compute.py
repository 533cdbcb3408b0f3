"""How far people came, and what checks did."""

from __future__ import annotations

from statistics import median
from typing import Any

from analysis.data import rare
from analysis.sections.inputs import AnalysisInput
from analysis.sections.participants import flow
from analysis.sections.participants.result import CheckCount, Participants


def compute(inputs: AnalysisInput) -> Participants:
    """Return how far people came, in sessions, what checks did, and how long those who finished took."""
    facts = inputs.facts
    minutes = facts.minutes
    # Stored only where a study has them.
    optional: dict[str, Any] = {}
    if facts.checks:
        optional["checks"] = [
            CheckCount(**dict(check), label=flow.check_name(check.name), passed=check.decided - check.failed)
            for check in facts.checks
        ]
    if facts.attention.asked:
        optional["attention"] = facts.attention
    if facts.screening_changed:
        optional["screening_changed"] = True
    if facts.about is not None:
        optional["about"] = {key: rare.merged(codes) for key, codes in facts.about.items()}
    return Participants(
        steps=tuple(flow.steps(facts.ways)),
        raters=int(inputs.tests["rater"].nunique()),
        minutes_median=median(minutes) if minutes else None,
        minutes_sessions=len(minutes),
        batches=facts.batches,
        **optional,
    )

"""How far people came, and what checks did."""

from __future__ import annotations

from statistics import median

from analysis.data import rare
from analysis.sections.inputs import AnalysisInput
from analysis.sections.participants import flow
from analysis.sections.participants.result import Participants


def compute(inputs: AnalysisInput) -> Participants:
    """Return how far people came, in sessions, what checks did, and how long those who finished took."""
    facts = inputs.facts
    minutes = facts["minutes"]
    found: Participants = {
        "steps": flow.steps(facts["ways"]),
        "raters": int(inputs.tests["rater"].nunique()),
        "minutes_median": median(minutes) if minutes else None,
        "minutes_sessions": len(minutes),
        "batches": facts["batches"],
    }
    if facts["checks"]:
        found["checks"] = [
            {  # type: ignore[typeddict-item]
                **check,
                "label": flow.check_name(check["name"]),
                "passed": check["decided"] - check["failed"],
            }
            for check in facts["checks"]
        ]
    if facts["attention"]["asked"]:
        found["attention"] = facts["attention"]
    if facts["screening_changed"]:
        found["screening_changed"] = True
    if "about" in facts:
        found["about"] = {key: rare.merged(codes) for key, codes in facts["about"].items()}
    return found

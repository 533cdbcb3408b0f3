"""Seconds a clip, by system."""

from __future__ import annotations

from analysis.sections.inputs import AnalysisInput
from analysis.sections.times.result import Seconds, Times
from analysis.stats.design import NotEstimable
from core.text.words import say


def compute(inputs: AnalysisInput) -> Times:
    """Return seconds a clip, median beside mean, by system and then of all (rule C4)."""
    rows = [
        Seconds(
            name=row["name"],
            kind=row["kind"],
            clips=row["clips"],
            **{
                f"{what}_{way}": None if row[what] is None else row[what][way]
                for what in ("response", "decision")
                for way in ("median", "mean")
            },
        )
        for row in inputs.facts["times"]
    ]
    if not rows:
        raise NotEstimable(say("No rating counts yet, so no time was taken."))
    return Times(rows=tuple(rows))

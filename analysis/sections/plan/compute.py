"""Planned numbers next to those reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from analysis.sections.inputs import AnalysisInput
from analysis.sections.plan import Plan, Reached, Wanted
from analysis.stats.design import NotEstimable
from core.text.words import say


def compute(inputs: AnalysisInput) -> Plan:
    """Return the plan fixed at the launch, with the usable ratings of each test item."""
    plan, rows = inputs.facts.plan, inputs.tests
    if plan is None:
        raise NotEstimable(say("This study has no plan that was fixed at a launch."))
    # An answer about a passage has a row for each question.
    counts = Counter(rows[["item", "trial"]].drop_duplicates()["item"].tolist())
    shows = inputs.kind.shows
    systems = sorted({item.system for item in plan.items}) if shows == "clip" else []
    parts = [("", plan.items), *((name, [item for item in plan.items if item.system == name]) for name in systems)]
    wanted = plan.ratings_wanted
    return Plan(
        **plan.model_dump(exclude={"items"}),
        raters=int(rows["rater"].nunique()),
        shows=shows,
        reached=tuple(_reached(name, items, wanted, counts) for name, items in parts if items),
    )


def _reached(name: str, items: Sequence[Wanted], wanted: int, counts: Mapping[int, int]) -> Reached:
    # Disagreement of raters raises the ratings that an item wants later; the plan is that of the launch.
    ratings = np.array([counts.get(item.item, 0) for item in items])
    return Reached(
        name=name,
        items=len(items),
        rated=int((ratings > 0).sum()),
        wanted=wanted * len(items),
        ratings=int(ratings.sum()),
        least=int(ratings.min()),
        median=float(np.median(ratings)),
        most=int(ratings.max()),
    )

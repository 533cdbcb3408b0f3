"""Do the exclusions decide the result? All sets of rules compared (rule D9)."""

from __future__ import annotations

import numpy as np

from analysis.data.groups import ANCHOR
from analysis.sections.exclusions.compute import rules_of
from analysis.sections.inputs import AnalysisInput, systems_of
from analysis.sections.multiverse import Multiverse, Universe
from analysis.stats.design import NotEstimable
from analysis.stats.multiverse import World, multiverse
from core.text.words import say


def compute(inputs: AnalysisInput) -> Multiverse:
    """Return each system's mean score under every choice of the rules that excluded something."""
    rows = inputs.tried
    rows = rows[(rows["kind"] != ANCHOR).to_numpy()]
    if not len(rows):
        raise NotEstimable(say("Nobody has rated a test clip yet."))
    masks = rules_of(rows)
    if not masks:
        raise NotEstimable(say("No rule excluded a rating, so there is nothing to compare."))
    codes, names = systems_of(rows)
    worlds = multiverse(rows["score"].to_numpy(), codes, masks)
    labels = [name for name, _kind in names]
    everything = worlds[-1]
    return Multiverse(
        systems=tuple(labels),
        rules=tuple(masks),
        universes=tuple(_universe(world, labels) for world in worlds),
        same_order=sum(world.order == everything.order for world in worlds),
    )


def _universe(world: World, labels: list[str]) -> Universe:
    return Universe(
        rules=tuple(world.rules),
        ratings=tuple(int(number) for number in world.ratings),
        scores=tuple(None if np.isnan(score) else float(score) for score in world.scores),
        order=tuple(labels[at] for at in world.order),
    )

"""What a study's page can show of models while answers come in: the fast model, comparisons, tiers.

Loads engines of statistics: for workers alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.data.groups import ANCHOR, kind
from analysis.live.scores import Rows
from analysis.sections import sentences
from analysis.sections.contrasts import compute as contrasts_compute
from analysis.sections.inputs import guarded
from analysis.sections.mixed_models import fitted
from analysis.sections.results import dump
from analysis.stats.mixed.terms import RATER, SLOPE
from core.text import words
from studies.task_types.base import ScoreScale

# Of rank probabilities and of the largest difference: the same answers give the same figures.
SEED = 1


def models(rows: Rows, scale: ScoreScale) -> dict[str, Any]:
    """Return the fast model, all pairs with tiers, and what stands beside raters in the intervals, if anything.

    Rows that don't count, and anchors, are left out. Takes a tenth of a second at 20,000 ratings.
    """
    counted = rows.counted
    is_system = {clip: kind(found) != ANCHOR for clip, found in counted.groups.items()}
    compared = counted.where(np.array([is_system[int(clip)] for clip in counted.clips], dtype=bool))
    if not len(compared.values):
        return {"pieces": "clip", "model": None, "contrasts": None}
    made, labels = compared.design()
    names = [(name, what) for name, what in labels]
    rng = np.random.default_rng(SEED)

    def model() -> Any:
        return fitted.by_reml(fitted.judged(made, names), (RATER, SLOPE), [], within=(scale.low, scale.high))

    def comparisons() -> Any:
        return contrasts_compute.of_systems(contrasts_compute.of_design(made, names, rng), rng)

    with words.collecting() as said:
        found = {"model": dump(guarded(model)), "contrasts": dump(guarded(comparisons))}
    return {
        "pieces": "raters" if made.has_few_texts else "text" if made.shares_texts else "clip",
        **found,
        "sentences": sentences.patterns(found, said),
    }

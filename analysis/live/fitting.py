"""Models that are fast enough to update while answers come in: the fast model, comparisons, tiers.

Loads the statistics: only for workers.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from analysis.live.scores import RatingColumns
from analysis.sections import sentences
from analysis.sections.contrasts import Contrasts
from analysis.sections.contrasts import compute as contrasts_compute
from analysis.sections.inputs import guarded, seeded_rng
from analysis.sections.mixed_models import Fast, fitted
from analysis.sections.results import dump
from analysis.sections.shared import Refusal
from analysis.stats.design import NotEstimable
from analysis.stats.mixed.terms import RATER, SLOPE
from core.text import words
from studies.task_types.base import ScoreScale

# The default of an analysis, which then has the same rank probabilities.
SEED = 1


class FittedModels(TypedDict):
    """The fields of `Figures` filled by models."""

    pieces: str
    model: Fast | Refusal | None
    contrasts: Contrasts | Refusal | None
    sentences: NotRequired[dict[str, Any]]


def models(rows: RatingColumns, scale: ScoreScale, *, no_model: str = "", no_contrasts: str = "") -> FittedModels:
    """Return the fast model, all pairs with tiers, and what intervals cluster by in addition to raters (`pieces`).

    `no_model` and `no_contrasts` are reasons to refuse the model and the pairs. Excludes rows that don't count, and
    anchors. Takes a tenth of a second for 20,000 ratings.
    """
    counted = rows.counted
    if not len(counted.values):
        return {"pieces": "clip", "model": None, "contrasts": None}
    compared = counted.where(counted.is_compared)
    if not len(compared.values):
        return {"pieces": "clip", "model": None, "contrasts": None}
    design, labels = compared.design()
    names = [(name, what) for name, what in labels]

    def model() -> Fast:
        if no_model:
            raise NotEstimable(no_model)
        return fitted.by_reml(fitted.judged(design, names), (RATER, SLOPE), [], within=(scale.low, scale.high))

    def comparisons() -> Contrasts:
        if no_contrasts:
            raise NotEstimable(no_contrasts)
        compared = contrasts_compute.of_design(design, names, low=scale.low, high=scale.high, sign=scale.sign)
        return contrasts_compute.of_systems(compared, seeded_rng(SEED, "ranks"))

    with words.collecting() as translatables:
        fast, contrasts = guarded(model), guarded(comparisons)
    return {
        "pieces": "raters" if design.has_few_texts else "text" if design.repeats_texts else "clip",
        "model": fast,
        "contrasts": contrasts,
        "sentences": sentences.patterns({"model": dump(fast), "contrasts": dump(contrasts)}, translatables),
    }

"""Mixed models of ordered answers (rule D6): ordinal, or logistic where there are two, without clips and with them."""

from __future__ import annotations

from math import isnan

import numpy as np

from analysis.sections.inputs import AnalysisInput, Name
from analysis.sections.mixed_models.fitted import Judged, crossing, designed, formula, judged, scope
from analysis.sections.mixed_models.result import Latent, Ordinal
from analysis.stats.design import NotEstimable
from analysis.stats.mixed import ordinal
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE, TEXT


def answers(inputs: AnalysisInput) -> Ordinal:
    """Return the ordinal model (with two different answers, the logistic one) and its population-averaged scores."""
    return _by_laplace(judged(*designed(inputs)), (RATER, SLOPE))


def clips(inputs: AnalysisInput) -> Ordinal:
    """Return the same with clips, and with texts where systems share them."""
    ratings = judged(*designed(inputs), with_clips=True)
    found = _by_laplace(ratings, crossing(ratings.design))
    if not {CLIP, TEXT} & set(found["sds"]):
        raise NotEstimable("Without the systems that got one answer alone, too few clips are left to tell them apart.")
    return found


def _by_laplace(ratings: Judged, terms: tuple[str, ...]) -> Ordinal:
    made = ratings.design
    try:
        found = ordinal.fit(made, terms)
    except NotEstimable:
        raise
    except ValueError as error:
        # A matrix that can't be inverted, most of all.
        raise NotEstimable("The search for the best estimate broke down: the answers say too little.") from error
    is_logistic = len(np.unique(made.score)) == 2
    kept = [term for term in terms if term in found.sds]
    return {
        "model": "logistic" if is_logistic else "ordinal",
        "formula": formula(kept).replace("score", "P(answer)"),
        "systems": [_latent(name, found, at) for at, name in enumerate(ratings.names)],
        "thresholds": [float(value) for value in found.thresholds],
        "sds": dict(found.sds),
        "approximate": list(found.approximate),
        "log_likelihood": found.log_likelihood,
        "ratings": found.ratings,
        "raters": found.raters,
        "scope": scope(made, kept),
        "notes": [*ratings.notes, *found.notes],
    }


def _latent(name: Name, found: ordinal.Ordinal, at: int) -> Latent:
    def known(value: float) -> float | None:
        return None if isnan(value) else float(value)

    return {
        "name": name[0],
        "kind": name[1],
        "location": known(found.locations[at]),
        "error": known(found.location_errors[at]),
        "score": known(found.scores.mean[at]),
        "low": known(found.scores.low[at]),
        "high": known(found.scores.high[at]),
    }

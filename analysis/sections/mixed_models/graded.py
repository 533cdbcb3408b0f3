"""Mixed models of ordered answers (rule D6): ordinal, or logistic for two answers; with or without clips."""

from __future__ import annotations

from math import isnan

import numpy as np

from analysis.sections.inputs import AnalysisInput, Name
from analysis.sections.mixed_models import Latent, Ordinal
from analysis.sections.mixed_models.fitted import Judged, crossing, designed, formula, judged, scope
from analysis.stats.design import NotEstimable
from analysis.stats.mixed import ordinal
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE, TEXT
from core.text.words import say


def answers(inputs: AnalysisInput) -> Ordinal:
    """Return the ordinal model (logistic for two different answers) and its population-averaged scores."""
    return _by_laplace(judged(*designed(inputs)), (RATER, SLOPE))


def clips(inputs: AnalysisInput) -> Ordinal:
    """Return that model with clips, and with texts if systems share them."""
    ratings = judged(*designed(inputs), with_clips=True)
    model = _by_laplace(ratings, crossing(ratings.design))
    if not {CLIP, TEXT} & set(model.sds):
        raise NotEstimable(
            say("Without the systems that got one answer alone, too few clips are left to tell them apart.")
        )
    return model


def _by_laplace(ratings: Judged, terms: tuple[str, ...]) -> Ordinal:
    design = ratings.design
    try:
        fit = ordinal.fit(design, terms)
    except NotEstimable:
        raise
    except ValueError as error:
        # Usually a singular matrix.
        raise NotEstimable(say("The search for the best estimate broke down: the answers say too little.")) from error
    is_logistic = len(np.unique(design.score)) == 2
    fitted_terms = [term for term in terms if term in fit.sds]
    return Ordinal(
        model="logistic" if is_logistic else "ordinal",
        formula=formula(fitted_terms).replace("score", "P(answer)"),
        systems=tuple(_latent(name, fit, at) for at, name in enumerate(ratings.names)),
        thresholds=tuple(float(value) for value in fit.thresholds),
        sds=dict(fit.sds),
        approximate=tuple(fit.approximate),
        log_likelihood=fit.log_likelihood,
        ratings=fit.ratings,
        raters=fit.raters,
        scope=scope(design, fitted_terms),
        notes=(
            *ratings.notes,
            *fit.notes,
        ),
    )


def _latent(name: Name, fit: ordinal.Ordinal, at: int) -> Latent:
    def known(value: float) -> float | None:
        return None if isnan(value) else float(value)

    return Latent(
        name=name[0],
        kind=name[1],
        location=known(fit.locations[at]),
        error=known(fit.location_errors[at]),
        score=known(fit.scores.mean[at]),
        low=known(fit.scores.low[at]),
        high=known(fit.scores.high[at]),
    )

"""Ordinal and logistic mixed models by Laplace's approximation, as `ordinal::clmm` and `lme4::glmer` fit them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress

import numpy as np
from scipy import linalg, optimize

from analysis.stats.design import Codes, Design, Floats, Mask, NotEstimable, count_by
from analysis.stats.mixed import crossed
from analysis.stats.mixed.averaged import AveragedScores, Latent, average
from analysis.stats.mixed.crossed import Crossing
from analysis.stats.mixed.laplace import CategoryCounts, Modes, grade, separated
from analysis.stats.mixed.terms import CLIP, LEAST_CELLS, NAMES, RATER, SLOPE, TEXT, choose
from analysis.stats.numeric import jacobian
from core.text.words import joined, say

# Of log SDs.
LIMITS = (-7.0, 4.0)
NEAR_ZERO = 0.03
# In logits; the noise of an answer has 1.8. Beyond this, the rater or the clip alone decides every answer, and the
# likelihood has no maximum.
LARGEST = 5.0
# The log SD of clips and texts at the start of the search.
CROSSING_START = -0.7
ORDER = (RATER, SLOPE, CLIP, TEXT)
# The search has converged if one more Newton step would add less than this to log L.
ENDED = 1e-3
# A location with a larger error, in logits, is unknown: it could be any probability between 0 and 1.
UNKNOWN = 20.0


@dataclass(frozen=True, slots=True)
class Ordinal:
    """A cumulative logit model; with two categories, a logistic one.

    `locations` (systems,) are log-odds of more than the lowest category, for a typical rater: with two categories
    `glmer`'s coefficients. `thresholds` (K − 1,) are relative to the first, so 0.0 comes first; `slopes` (k,) belong to
    covariates. `location_errors` and `slope_errors` are standard errors. A location is NaN if all the system's answers
    are at one extreme, or if answers fall into two parts that no system connects. `scores` are population-averaged: the
    mean score expected of a new rater (`averaged.AveragedScores`).

    `sds` are latent SDs: 0.0 if the variance is estimated as zero, None if it may not be printed. `approximate` names
    those that Laplace's approximation makes too small (by about 9 % for rater:system at the ATT paper's size).
    """

    locations: Floats
    location_errors: Floats
    thresholds: Floats
    slopes: Floats
    slope_errors: Floats
    sds: dict[str, float | None]
    approximate: tuple[str, ...]
    log_likelihood: float
    scores: AveragedScores
    ratings: int
    raters: int
    notes: tuple[str, ...]


def fit(
    design: Design, terms: tuple[str, ...] = (RATER, SLOPE), *, level: float = 0.95, least_cells: int = LEAST_CELLS
) -> Ordinal:
    """Fit ordered answers by a cumulative logit (McCullagh 1980), with `terms` from rater, rater:system, clip, text.

    Two different scores make it logistic. The likelihood is Laplace's approximation at the modes of all random effects;
    it is maximised with its exact gradient. A system with all answers at one extreme is left out and named, since its
    location is infinite. Takes a second for 20,000 ratings without clips and texts; with them the time grows with the
    cube of their number. Raises NotEstimable if all answers are the same, if there are more than 12 different ones,
    without a rater effect to estimate, or with too many clips and texts.
    """
    category, levels = grade(design)
    apart = separated(design, category)
    inside = ~apart[design.system]
    if apart.all():
        raise NotEstimable(say("Each system got one and the same extreme answer from everybody."))
    rest = design.where(inside)
    grades = np.unique(category[inside], return_inverse=True)
    chosen = choose(rest, terms, least_cells=least_cells)
    fitted_terms = tuple(term for term in ORDER if term in chosen.kept)
    if not {RATER, SLOPE} & set(fitted_terms):
        raise NotEstimable(joined(*chosen.dropped.values()))
    graded = grades[1].reshape(-1).astype(np.int64)
    model, point, value = _fitted(rest, graded, fitted_terms)
    zero = model.vanishing(point)
    while left := [term for term in zero if term in model.terms[1:]]:
        kept = [term not in left for term in model.terms]
        near = np.delete(point, len(point) - len(kept) + np.flatnonzero(np.logical_not(kept)))
        model, point, value = _fitted(rest, graded, tuple(compress(model.terms, kept)), near)
        zero += [term for term in model.vanishing(point) if term not in zero]
    if decides := [term for term, sd in zip(model.terms, model.sds(point), strict=True) if sd > LARGEST]:
        raise NotEstimable(
            say(
                "The answers are nearly the same within each {term}: how much these differ can't be estimated.",
                term=NAMES.get(decides[0], decides[0]),
            )
        )
    latent = model.latent(natural(point, model.thresholds))
    used = levels[grades[0]]
    scores = average(latent, used, level=level, df=freedom(rest, model.terms)).spread(apart)
    errors = np.sqrt(np.diag(latent.location_covariance))
    notes = [*chosen.dropped.values(), *chosen.refused.values()]
    notes += [say("The variance of {term} was estimated as zero.", term=NAMES.get(term, term)) for term in zero]
    if not np.diag(latent.covariance)[-len(model.terms) :].all():
        notes.append(say("The SDs are hardly known: the errors of the coefficients take them as if they were."))
    endless = errors > UNKNOWN
    if endless.any():
        notes.append(
            say(
                "{n} systems lie without end away from the others and have no location: of two answers that are "
                "neighbours, no system got both. Scores don't depend on it; thresholds do.",
                n=int(endless.sum()),
            )
        )
    if apart.any():
        notes.append(
            say("{n} systems got one and the same extreme answer from everybody and are left out.", n=int(apart.sum()))
        )
    sized = dict(zip(model.terms, model.sds(point), strict=True))
    sds: dict[str, float | None] = {term: 0.0 if term in zero else sized[term] for term in fitted_terms}
    return Ordinal(
        _spread(np.where(endless, np.nan, latent.locations), apart),
        _spread(np.where(endless, np.nan, errors), apart),
        latent.thresholds,
        latent.slopes,
        latent.slope_errors,
        sds | dict.fromkeys(chosen.refused),
        tuple(term for term in (SLOPE,) if sds.get(term)),
        value,
        scores,
        len(rest.score),
        rest.raters,
        tuple(notes),
    )


@dataclass(frozen=True, slots=True)
class _Model:
    """The search over (θ_1, log gaps, β, log SDs) of `terms`; the first `inner` of them are raters and rater:system.

    Log L is the sum over `parts`: raters that share no clips or texts to model are independent.
    """

    parts: list[tuple[CategoryCounts, Crossing, Modes]]
    design: Design
    category: Codes
    terms: tuple[str, ...]
    inner: int
    thresholds: int
    slopes: int

    @classmethod
    def of(cls, design: Design, category: Codes, terms: tuple[str, ...]) -> _Model:
        answers = CategoryCounts.of(design, category, terms)
        inner = len({RATER, SLOPE} & set(terms))
        parts = []
        for part in answers.by_raters() if inner == len(terms) else [answers]:
            crossing = Crossing.of(design, part, terms)
            parts.append((part, crossing, Modes.zero(part, crossing.width)))
        return cls(parts, design, category, terms, inner, answers.categories - 1, answers.x.shape[1])

    def vanishing(self, point: Floats) -> list[str]:
        """Return the terms with a variance estimated as zero."""
        return [term for term, sd in zip(self.terms, self.sds(point), strict=True) if sd < NEAR_ZERO]

    def sds(self, point: Floats) -> list[float]:
        return [float(sd) for sd in np.exp(point[-len(self.terms) :])]

    def evaluate(self, natural: Floats) -> tuple[float, Floats]:
        """Return log L and its gradient by (θ, β, log SDs)."""
        k, sds = self.thresholds, np.exp(natural[-len(self.terms) :])
        pair = (float(sds[0]), float(sds[1]) if self.inner == 2 else 0.0)
        cuts, beta = natural[:k], natural[k : -len(self.terms)]
        found = [
            crossed.evaluate(answers, crossing, cuts, beta, pair, sds[self.inner :], modes)
            for answers, crossing, modes in self.parts
        ]
        return sum(value for value, _ in found), np.sum([slope for _, slope in found], axis=0)

    def start(self) -> Floats:
        """Return the start of a search, from only the shares of the answers."""
        shares = np.cumsum(np.bincount(self.category))[:-1] / len(self.category)
        cuts = np.log(shares / (1 - shares))
        return np.concatenate([cuts[:1], np.log(np.diff(cuts)), np.zeros(self.slopes + len(self.terms))])

    def maximise(self, start: Floats) -> tuple[Floats, float]:
        """Return the point (θ_1, log gaps, β, log SDs) of the highest log L, and log L.

        The search is over SDs: one that is estimated as zero is reached in fewer steps than its logarithm.
        """
        k, fixed = self.thresholds, len(start) - len(self.terms)

        def logged(searched: Floats) -> Floats:
            return np.concatenate([searched[:fixed], np.log(searched[fixed:])])

        def cost(searched: Floats) -> tuple[float, Floats]:
            value, slope = self.evaluate(natural(logged(searched), k))
            back = np.cumsum(slope[:k][::-1])[::-1]
            by_gaps, by_sds = back[1:] * np.exp(searched[1:k]), slope[fixed:] / searched[fixed:]
            return -value, -np.concatenate([back[:1], by_gaps, slope[k:fixed], by_sds])

        bounds = [(None, None)] * fixed + [tuple(np.exp(LIMITS))] * len(self.terms)
        # It remembers more steps than most models have coordinates: a third fewer evaluations than by 10.
        options = {"ftol": 1e-12, "gtol": 1e-4, "maxiter": 500, "maxcor": 30}
        begin = np.concatenate([start[:fixed], np.exp(start[fixed:])])
        optimum = optimize.minimize(cost, begin, jac=True, method="L-BFGS-B", bounds=bounds, options=options)  # type: ignore[call-overload]
        return logged(np.asarray(optimum.x, dtype=np.float64)), -float(optimum.fun)

    def latent(self, point: Floats) -> Latent:
        """Return the estimate with the inverse of the information, by differences of the exact gradient."""
        information = -jacobian(lambda at: self.evaluate(at)[1], point)
        information = (information + information.T) / 2
        covariance = linalg.pinvh(information).astype(np.float64)
        if (np.diag(covariance) < 0).any():
            # Along an SD, the likelihood is flat or not concave: the SDs are treated as known.
            rest = slice(0, -len(self.terms))
            covariance = np.zeros_like(information)
            covariance[rest, rest] = linalg.pinvh(information[rest, rest])
            if (np.diag(covariance) < 0).any():
                raise NotEstimable(say("There are too few ratings to tell how sure this model's coefficients are."))
        slope = self.evaluate(point)[1]
        # A variance of zero is at the boundary, so its gradient doesn't matter.
        slope[-len(self.terms) :] *= np.array(self.sds(point)) >= NEAR_ZERO
        if float(slope @ covariance @ slope) / 2 > ENDED:
            raise NotEstimable(
                say("The search for the best estimate did not come to its end: the answers say too little.")
            )
        return Latent(point, covariance, self.thresholds, self.design.systems, len(self.terms))


def _fitted(
    design: Design, category: Codes, terms: tuple[str, ...], near: Floats | None = None
) -> tuple[_Model, Floats, float]:
    """Return a model, its point (θ_1, log gaps, β, log SDs) and log L.

    The search starts `near` a point; otherwise from that of the model without clips and texts, which is found first.
    """
    model = _Model.of(design, category, terms)
    if near is None:
        alone = model.inner == len(terms)
        inner = model if alone else _Model.of(design, category, terms[: model.inner])
        near, value = inner.maximise(inner.start())
        if alone:
            return model, near, value
        near = np.concatenate([near, np.full(len(terms) - model.inner, CROSSING_START)])
    # At a variance of zero the gradient is zero too, so a search from there would never leave it.
    near[-len(terms) :] = np.maximum(near[-len(terms) :], CROSSING_START)
    return model, *model.maximise(near)


def freedom(design: Design, terms: tuple[str, ...]) -> int:
    """Return the smallest number of raters, clips or texts of a system, minus 1: few of them say little of others."""
    groups = {RATER: design.rater, SLOPE: design.rater, CLIP: design.clip, TEXT: design.text}
    found = [codes for term in terms if (codes := groups[term]) is not None]
    return max(min(int(count_by(design.system, codes).min()) for codes in found) - 1, 1)


def natural(point: Floats, thresholds: int) -> Floats:
    """Replace (θ_1, log gaps) by θ."""
    cuts = point[0] + np.concatenate([[0.0], np.cumsum(np.exp(point[1:thresholds]))])
    return np.concatenate([cuts, point[thresholds:]])


def _spread(values: Floats, apart: Mask) -> Floats:
    full = np.full(len(apart), np.nan)
    full[~apart] = values
    return full

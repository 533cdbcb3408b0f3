"""Mixed models of the score (rule D6): fast, with clips, with covariates, Bayesian, and of ordered answers."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np

from analysis.report.findings.given import Given, Name, count, design
from analysis.report.findings.schema import Bayes, Coefficient, Fast, Latent, Ordinal, Posterior
from analysis.stats.design import Design, Floats, NotEstimable
from analysis.stats.mixed import bayes, ordinal, reml
from analysis.stats.mixed.prior import Prior
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE, TEXT

HERE = "for these clips only"
FIXED = "score ~ 0 + system"


def fast(given: Given) -> Fast:
    """Return Table 3's model by REML: raters and rater:system, no clips."""
    made, names = _design(given)
    return by_reml(made, names, (RATER, SLOPE), [], within=_scale(given))


def clips(given: Given) -> Fast:
    """Return the same with clips, and with texts where systems share them."""
    made, names = _design(given)
    return by_reml(made, names, _terms(made), [], within=_scale(given))


def adjusted(given: Given) -> Fast:
    """Return the model with clips, the groups of texts (sum to zero) and the place in the session."""
    columns, labels, notes = _covariates(given)
    if not labels:
        raise NotEstimable(" ".join(notes))
    made, names = _design(given, columns)
    found = by_reml(made, names, _terms(made), labels, within=_scale(given))
    return {**found, "notes": [*notes, *found["notes"]]}


def posterior(given: Given) -> Bayes:
    """Return Table 3's model with its posterior; refused with the reason when the chains can't be believed."""
    made, names = _design(given)
    prior = Prior.of_scale(given.scale["low"], given.scale["high"])
    found = bayes.fit(made, prior, given.rng("bayes"), draws=given.settings.draws)
    if found.withheld:
        raise NotEstimable(found.withheld)
    terms = [term for term in (RATER, SLOPE) if term in found.sds]
    return {
        "formula": _formula(terms),
        "systems": [_row(name, row) for name, row in zip(names, found.coefficients, strict=True)],
        "sds": {term: None if row is None else _row((term, ""), row) for term, row in found.sds.items()},
        "priors": str(found.prior),
        "draws": len(found.draws),
        "method": found.method,
        "worst_rhat": found.worst_rhat,
        "least_ess": found.least_ess,
        "ratings": len(made.score),
        "raters": made.raters,
        "scope": HERE,
        "notes": list(found.notes),
    }


def answers(given: Given) -> Ordinal:
    """Return the ordinal model (with two different answers, the logistic one) and its population-averaged scores."""
    made, names = _design(given)
    found = ordinal.fit(made)
    is_logistic = len(np.unique(made.score)) == 2
    terms = [term for term in (RATER, SLOPE) if term in found.sds]
    return {
        "model": "logistic" if is_logistic else "ordinal",
        "formula": _formula(terms).replace("score", "P(answer)"),
        "systems": [_latent(name, found, at) for at, name in enumerate(names)],
        "thresholds": [float(value) for value in found.thresholds],
        "sds": dict(found.sds),
        "approximate": list(found.approximate),
        "log_likelihood": found.log_likelihood,
        "ratings": found.ratings,
        "raters": found.raters,
        "scope": HERE,
        "notes": list(found.notes),
    }


def _design(given: Given, covariates: Any = None) -> tuple[Design, list[Name]]:
    rows = given.compared
    if not len(rows):
        raise NotEstimable("No rating counts yet.")
    made, names = design(rows, covariates)
    if made.raters == 1:
        raise NotEstimable("All ratings are one rater's, so how raters differ can't be estimated.")
    return made, names


def _terms(made: Design) -> tuple[str, ...]:
    return (RATER, SLOPE, CLIP, TEXT) if made.pieces is made.text else (RATER, SLOPE, CLIP)


def _formula(terms: list[str], covariates: list[str] | None = None) -> str:
    return " + ".join([FIXED, *(covariates or []), *(f"(1 | {term})" for term in terms)])


def _scale(given: Given) -> tuple[float, float]:
    return given.scale["low"], given.scale["high"]


def by_reml(
    made: Design, names: list[Name], terms: tuple[str, ...], covariates: list[str], *, within: tuple[float, float]
) -> Fast:
    """Return a model fitted by REML, its coefficients under the names of systems and covariates.

    Intervals of systems end where the scale does, `within` its ends (rule D4).
    """
    found = reml.fit(made, terms)
    ends = np.array(found.intervals())
    ends[: len(names)] = np.clip(ends[: len(names)], *within)
    rows = [
        _coefficient(name, *values)
        for name, values in zip(
            [*names, *((label, "") for label in covariates)],
            zip(found.coefficients, found.errors, found.df, ends, strict=True),
            strict=True,
        )
    ]
    kept = [term for term in terms if term in found.sds]
    return {
        "formula": _formula(kept, covariates),
        "systems": rows[: len(names)],
        "covariates": rows[len(names) :],
        "sds": dict(found.sds),
        "residual_sd": found.residual_sd,
        "log_likelihood": found.log_likelihood,
        "icc": _icc(found),
        "ratings": found.ratings,
        "raters": found.raters,
        "scope": "" if {CLIP, TEXT} & set(kept) else HERE,
        "notes": list(found.notes),
    }


def _icc(found: reml.Fit) -> dict[str, float]:
    """Return each effect's share of the variance about the systems' means, by its formula; none without all SDs."""
    parts = {term: sd**2 for term, sd in found.sds.items() if sd is not None}
    total = sum(parts.values()) + found.residual_sd**2
    if len(parts) < len(found.sds) or not total:
        return {}
    below = " + ".join([f"σ²({term})" for term in parts] + ["σ²(residual)"])
    return {f"ICC = σ²({term}) / ({below})": part / total for term, part in parts.items()}


def _covariates(given: Given) -> tuple[Floats, list[str], list[str]]:
    """Return columns for the groups of texts and for the place in the session, their names, and what is missing."""
    rows = given.compared
    if not len(rows):
        raise NotEstimable("No rating counts yet.")
    columns, labels, notes = [], [], []
    levels = sorted(set(rows["dimension"]))
    if "" in levels:
        bare = int((rows["dimension"] == "").sum())
        notes.append(f"{count(bare, 'rating')} of clips without a dimension: dimensions are left out of this model.")
    elif len(levels) > 1:
        dimension = rows["dimension"].to_numpy()
        last = (dimension == levels[-1]).astype(np.float64)
        for level in levels[:-1]:
            columns.append((dimension == level) - last)
            labels.append(f"dimension: {level}")
    position = rows["position"].to_numpy().astype(np.float64)
    if np.ptp(position):
        columns.append(position)
        labels.append("position in the session")
    else:
        notes.append("All ratings stand at the same place of a session.")
    return np.column_stack(columns) if columns else np.zeros((len(rows), 0)), labels, notes


def _coefficient(name: Name, mean: float, error: float, df: float, ends: Floats) -> Coefficient:
    return {
        "name": name[0],
        "kind": name[1],
        "mean": float(mean),
        "error": float(error),
        "df": float(df),
        "low": float(ends[0]),
        "high": float(ends[1]),
    }


def _row(name: Name, row: bayes.Row) -> Posterior:
    return {
        "name": name[0],
        "kind": name[1],
        "mean": row.mean,
        "sd": row.sd,
        "low": row.low,
        "high": row.high,
        "rhat": row.rhat,
        "ess_bulk": row.ess_bulk,
        "ess_tail": row.ess_tail,
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

"""Mixed models."""

from __future__ import annotations

from typing import TypedDict

from analysis.sections.shared import Refused


class Coefficient(TypedDict):
    """A system's mean in a model (or a covariate's slope); `df` None where none belongs to it."""

    name: str
    kind: str
    mean: float
    error: float
    df: float | None
    low: float
    high: float


class Fast(TypedDict):
    """A Gaussian mixed model by REML. `sds` {term: SD, 0.0, or None where it may not be printed}.

    `icc` {formula: value} from the SDs. `scope` is "" or "for these clips only"; `notes` say what was left out.
    """

    formula: str
    systems: list[Coefficient]
    covariates: list[Coefficient]
    sds: dict[str, float | None]
    residual_sd: float
    log_likelihood: float
    icc: dict[str, float]
    ratings: int
    raters: int
    scope: str
    notes: list[str]


class Posterior(TypedDict):
    """A row of the ATT paper's Table 3: posterior mean, SD, 95 % highest-density interval and its diagnostics."""

    name: str
    kind: str
    mean: float
    sd: float
    low: float
    high: float
    rhat: float
    ess_bulk: float
    ess_tail: float


class Bayes(TypedDict):
    """The Bayesian model of Table 3, or that with clips; `sds` holds None where an SD may not be printed.

    `scope` as in `Fast`.
    """

    formula: str
    systems: list[Posterior]
    sds: dict[str, Posterior | None]
    priors: str
    draws: int
    method: str
    worst_rhat: float
    least_ess: float
    ratings: int
    raters: int
    scope: str
    notes: list[str]


class Latent(TypedDict):
    """A system on the latent scale, and its population-averaged score; None where it got one extreme answer alone."""

    name: str
    kind: str
    location: float | None
    error: float | None
    score: float | None
    low: float | None
    high: float | None


class Ordinal(TypedDict):
    """A cumulative logit (or, with two answers, logistic) mixed model: `model` is "ordinal" or "logistic"."""

    model: str
    formula: str
    systems: list[Latent]
    thresholds: list[float]
    sds: dict[str, float | None]
    approximate: list[str]
    log_likelihood: float
    ratings: int
    raters: int
    scope: str
    notes: list[str]


class Models(TypedDict):
    """`fast` and `bayes` are Table 3's model, `clips` the fast one with clip and text terms, `adjusted` the latter
    with dimension and position; `answers` the ordinal or logistic one; `answers_clips` and `bayes_clips` are those with
    clips and texts."""

    fast: Fast | Refused
    clips: Fast | Refused
    adjusted: Fast | Refused
    bayes: Bayes | Refused
    answers: Ordinal | Refused
    answers_clips: Ordinal | Refused
    bayes_clips: Bayes | Refused

"""Mixed models: fast, Bayesian, ordinal."""

from __future__ import annotations

from analysis.sections.shared import NOT_COMPUTED, Record, Refusal


class Coefficient(Record):
    """A system's mean in a model (or a covariate's slope); `df` None where none belongs to it."""

    name: str
    kind: str
    mean: float
    error: float
    df: float | None
    low: float
    high: float


class Fast(Record):
    """A Gaussian mixed model by REML. `sds` {term: SD, 0.0, or None where it may not be printed}.

    `icc` {formula: value} from the SDs. `scope` is "" or "for these clips only"; `notes` say what was left out.
    """

    formula: str
    systems: tuple[Coefficient, ...]
    covariates: tuple[Coefficient, ...]
    sds: dict[str, float | None]
    residual_sd: float
    log_likelihood: float
    icc: dict[str, float]
    ratings: int
    raters: int
    scope: str
    notes: tuple[str, ...]


class Posterior(Record):
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


class Bayes(Record):
    """The Bayesian model of Table 3, or that with clips; `sds` holds None where an SD may not be printed.

    `scope` as in `Fast`.
    """

    formula: str
    systems: tuple[Posterior, ...]
    sds: dict[str, Posterior | None]
    priors: str
    draws: int
    method: str
    worst_rhat: float
    least_ess: float
    ratings: int
    raters: int
    scope: str
    notes: tuple[str, ...]


class Latent(Record):
    """A system on the latent scale, and its population-averaged score; None where it got one extreme answer alone."""

    name: str
    kind: str
    location: float | None
    error: float | None
    score: float | None
    low: float | None
    high: float | None


class Ordinal(Record):
    """A cumulative logit (or, with two answers, logistic) mixed model: `model` is "ordinal" or "logistic"."""

    model: str
    formula: str
    systems: tuple[Latent, ...]
    thresholds: tuple[float, ...]
    sds: dict[str, float | None]
    approximate: tuple[str, ...]
    log_likelihood: float
    ratings: int
    raters: int
    scope: str
    notes: tuple[str, ...]


class Models(Record):
    """`fast` and `bayes` are Table 3's model, `clips` the fast one with clip and text terms, `adjusted` the latter
    with dimension and position; `answers` the ordinal or logistic one; `answers_clips` and `bayes_clips` are those with
    clips and texts."""

    fast: Fast | Refusal = NOT_COMPUTED
    clips: Fast | Refusal = NOT_COMPUTED
    adjusted: Fast | Refusal = NOT_COMPUTED
    bayes: Bayes | Refusal = NOT_COMPUTED
    answers: Ordinal | Refusal = NOT_COMPUTED
    answers_clips: Ordinal | Refusal = NOT_COMPUTED
    bayes_clips: Bayes | Refusal = NOT_COMPUTED

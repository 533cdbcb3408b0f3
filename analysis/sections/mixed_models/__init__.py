"""Mixed models: fast, Bayesian, ordinal."""

from __future__ import annotations

from analysis.sections.shared import NOT_COMPUTED, Record, Refusal


class Coefficient(Record):
    """A system's mean in a model, or a covariate's slope; `df` is None if the model gives none."""

    name: str
    kind: str
    mean: float
    error: float
    df: float | None
    low: float
    high: float


class Fast(Record):
    """A Gaussian mixed model by REML. `sds` is {term: SD}: 0.0 at the boundary, None if it may not be printed.

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
    """A row of the ATT paper's Table 3: posterior mean, SD, 95 % highest-density interval and diagnostics."""

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
    """The Bayesian model of Table 3, or that with clips; an SD is None if it may not be printed.

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
    """A system on the latent scale, and its population-averaged score; None if all its answers are at one extreme."""

    name: str
    kind: str
    location: float | None
    error: float | None
    score: float | None
    low: float | None
    high: float | None


class Ordinal(Record):
    """A cumulative logit mixed model, or a logistic one for two answers; `model` is "ordinal" or "logistic"."""

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
    """All mixed models: `fast` and `bayes` are Table 3's, `answers` is the ordinal or logistic one.

    `clips`, `answers_clips` and `bayes_clips` add clips and texts; `adjusted` is `clips` with dimension and position.
    """

    fast: Fast | Refusal = NOT_COMPUTED
    clips: Fast | Refusal = NOT_COMPUTED
    adjusted: Fast | Refusal = NOT_COMPUTED
    bayes: Bayes | Refusal = NOT_COMPUTED
    answers: Ordinal | Refusal = NOT_COMPUTED
    answers_clips: Ordinal | Refusal = NOT_COMPUTED
    bayes_clips: Bayes | Refusal = NOT_COMPUTED

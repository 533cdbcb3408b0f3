"""The Bayesian model: what the ATT paper's Table 3 prints, withheld where the chains can't be believed."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from analysis.stats.design import Design, Floats, NotEstimable
from analysis.stats.mixed import chains as diagnostics
from analysis.stats.mixed.likelihood import build
from analysis.stats.mixed.posterior import Posterior
from analysis.stats.mixed.prior import Prior
from analysis.stats.mixed.sampler import Draws, sample
from analysis.stats.mixed.terms import LEAST_CELLS, RATER, SLOPE, choose

LARGEST_RHAT = 1.01
LEAST_ESS = 400.0
# Chains that fail their gates are run again: by slices, then four times as long; then the result is withheld.
ATTEMPTS = ((1, False), (1, True), (4, True))


@dataclass(frozen=True, slots=True)
class Row:
    """A coefficient or SD: posterior mean, SD, 95 % highest-density interval and how well it was sampled."""

    mean: float
    sd: float
    low: float
    high: float
    rhat: float
    ess_bulk: float
    ess_tail: float

    @property
    def believable(self) -> bool:
        return self.rhat < LARGEST_RHAT and min(self.ess_bulk, self.ess_tail) > LEAST_ESS


@dataclass(frozen=True, slots=True)
class Summary:
    """Rows for systems and then covariates, rows for SDs, and joint `draws` (m, p) of the coefficients.

    `sds` has a row for each random effect and "residual"; None where it may not be printed, as `notes` says. When
    `withheld` is not empty, it says in a sentence why nothing may be shown, and all rows and draws are empty.
    """

    coefficients: tuple[Row, ...]
    sds: dict[str, Row | None]
    draws: Floats
    prior: Prior
    method: str
    accepted: float
    worst_rhat: float
    least_ess: float
    notes: tuple[str, ...]
    withheld: str


def fit(
    design: Design,
    prior: Prior,
    rng: np.random.Generator,
    terms: tuple[str, ...] = (RATER, SLOPE),
    *,
    chains: int = 4,
    draws: int = 1000,
    warm_up: int = 200,
    least_cells: int = LEAST_CELLS,
) -> Summary:
    """Sample `score ~ 0 + system + covariates + (1 | term) …` with Normal errors, under `prior`.

    Random effects and means are integrated out exactly; `chains` ≥ 4 of log SDs start three posterior SDs from the
    mode (`sampler.sample`). R-hat is rank-normalised and split, ESS is that of bulk and tail (Vehtari et al. 2021);
    every coefficient and SD must reach R-hat < 1.01 and ESS > 400, else the chains are run again by slices, then four
    times as long, else the result is withheld. Raises NotEstimable without a random effect to estimate, ValueError
    below 4 chains.
    """
    if chains < 4:
        raise ValueError("R-hat needs at least four chains")
    chosen = choose(design, terms, least_cells=least_cells)
    if not chosen.kept:
        raise NotEstimable(" ".join(chosen.dropped.values()))
    posterior = Posterior(build(design, chosen.kept), prior, design.systems)
    start = np.full(len(chosen.kept) + 1, log(prior.sd_scale) - 1)
    start[-1] += 0.5
    for factor, slices in ATTEMPTS:
        drawn = sample(
            posterior, start, rng, chains=chains, draws=draws * factor, warm_up=warm_up * factor, slices=slices
        )
        summary = _summary(drawn, prior, chosen.kept, (*chosen.dropped.values(), *chosen.refused.values()))
        if not summary.withheld:
            break
    return _without(summary, chosen.refused)


def _summary(drawn: Draws, prior: Prior, terms: tuple[str, ...], notes: tuple[str, ...]) -> Summary:
    coefficients = tuple(_row(drawn.means[:, :, index]) for index in range(drawn.means.shape[2]))
    names = (*terms, "residual")
    sds: dict[str, Row | None] = {name: _row(np.exp(drawn.logs[:, :, at])) for at, name in enumerate(names)}
    rows = [*coefficients, *(row for row in sds.values() if row)]
    worst = float(np.max([row.rhat for row in rows]))
    least = float(np.min([min(row.ess_bulk, row.ess_tail) for row in rows]))
    common = (prior, drawn.method, drawn.accepted, worst, least, notes)
    if all(row.believable for row in rows):
        return Summary(coefficients, sds, drawn.means.reshape(-1, drawn.means.shape[2]), *common, "")
    reason = (
        f"The chains did not agree well enough to be believed (largest R-hat {worst:.3f}, wanted below {LARGEST_RHAT}; "
        f"smallest effective sample {least:.0f}, wanted above {LEAST_ESS:.0f}). Usually there are too few ratings for "
        "each rater and system."
    )
    return Summary((), {}, np.zeros((0, drawn.means.shape[2])), *common, reason)


def _row(draws: Floats) -> Row:
    low, high = diagnostics.hdi(draws)
    return Row(
        float(draws.mean()),
        float(draws.std(ddof=1)),
        low,
        high,
        diagnostics.rhat(draws),
        diagnostics.ess_bulk(draws),
        diagnostics.ess_tail(draws),
    )


def _without(summary: Summary, refused: dict[str, str]) -> Summary:
    for term in refused:
        if term in summary.sds:
            summary.sds[term] = None
    return summary

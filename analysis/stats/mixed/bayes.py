"""The Bayesian model: what the ATT paper's Table 3 prints, withheld where the chains can't be believed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log

import numpy as np

from analysis.stats.design import Design, Floats, NotEstimable
from analysis.stats.mixed import chains as diagnostics
from analysis.stats.mixed.likelihood import build
from analysis.stats.mixed.posterior import Posterior
from analysis.stats.mixed.prior import Prior
from analysis.stats.mixed.sampler import Draws, sample, sample_crossed
from analysis.stats.mixed.terms import CLIP, LEAST_CELLS, RATER, SLOPE, TEXT, choose
from core.text.words import joined, say

LARGEST_RHAT = 1.01
LEAST_ESS = 400.0
# Chains that fail their gates are run again: by slices, then four times as long; then the result is withheld.
ATTEMPTS = ((1, False), (1, True), (4, True))
# With clips or texts, whose factor makes each density dear, they only learn from the run before, and may grow longer.
CROSSED_ATTEMPTS = (1, 1, 2)
FEW = say("Usually there are too few ratings for each rater and system.")
FEW_CROSSED = say("Usually there are too few ratings for each rater, system and clip.")
# A run takes some minutes at either of these.
MOST_CROSSING, MOST_RATINGS = 1000, 200_000


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
    times as long (with clips or texts: with proposals learnt from the run before, then twice as long), else the result
    is withheld. Raises NotEstimable without a random effect to estimate and with more clips and texts than it can hold,
    ValueError below 4 chains.
    """
    if chains < 4:
        raise ValueError("R-hat needs at least four chains")
    chosen = choose(design, terms, least_cells=least_cells)
    if not chosen.kept:
        raise NotEstimable(joined(*chosen.dropped.values()))
    is_crossed = bool({CLIP, TEXT} & set(chosen.kept))
    if is_crossed:
        _limit(design, chosen.kept)
    posterior = Posterior(build(design, chosen.kept), prior, design.systems)
    start = np.full(len(chosen.kept) + 1, log(prior.sd_scale) - 1)
    start[-1] += 0.5
    attempts = _crossed_attempts if is_crossed else _attempts
    for drawn in attempts(posterior, start, rng, chains, draws, warm_up):
        summary = _summary(drawn, prior, chosen.kept, (*chosen.dropped.values(), *chosen.refused.values()))
        if not summary.withheld:
            break
    return _without(summary, chosen.refused)


def _limit(design: Design, terms: tuple[str, ...]) -> None:
    known = {CLIP: design.clip, TEXT: design.text}
    pieces = sum(int(codes.max()) + 1 for term, codes in known.items() if codes is not None and term in terms)
    if pieces > MOST_CROSSING or len(design.score) > MOST_RATINGS:
        raise NotEstimable(
            say(
                "There are {pieces} clips and texts and {ratings} ratings: more than the {most_pieces} and "
                "{most_ratings} with which chains take minutes. The fast model with clips, and the default intervals, "
                "count clips as well.",
                pieces=f"{pieces:,}",
                ratings=f"{len(design.score):,}",
                most_pieces=f"{MOST_CROSSING:,}",
                most_ratings=f"{MOST_RATINGS:,}",
            )
        )


def _attempts(
    posterior: Posterior, start: Floats, rng: np.random.Generator, chains: int, draws: int, warm_up: int
) -> Iterator[Draws]:
    for factor, slices in ATTEMPTS:
        yield sample(
            posterior, start, rng, chains=chains, draws=draws * factor, warm_up=warm_up * factor, slices=slices
        )


def _crossed_attempts(
    posterior: Posterior, start: Floats, rng: np.random.Generator, chains: int, draws: int, warm_up: int
) -> Iterator[Draws]:
    lengths = [(draws * factor, warm_up * factor) for factor in CROSSED_ATTEMPTS]
    return sample_crossed(posterior, start, rng, chains=chains, lengths=lengths)


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
    few = FEW_CROSSED if {CLIP, TEXT} & set(terms) else FEW
    reason = say(
        "The chains did not agree well enough to be believed (largest R-hat {rhat}, wanted below {largest}; smallest "
        "effective sample {ess}, wanted above {least}). {few}",
        rhat=f"{worst:.3f}",
        largest=LARGEST_RHAT,
        ess=f"{least:.0f}",
        least=f"{LEAST_ESS:.0f}",
        few=few,
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

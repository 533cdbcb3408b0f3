"""The Bayesian model of the ATT paper's Table 3; withheld if the chains didn't converge.

Convergence diagnostics follow Vehtari et al. (2021).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from analysis.stats.design import Design, Floats, NotEstimable
from analysis.stats.mixed.likelihood import Likelihood
from analysis.stats.mixed.posterior import LogPosterior, Prior
from analysis.stats.mixed.sampler import Draws, Sampler
from analysis.stats.mixed.terms import CLIP, LEAST_CELLS, RATER, SLOPE, TEXT, choose
from core.text.words import joined, say

LARGEST_RHAT = 1.01
LEAST_ESS = 400.0
# Chains that fail the diagnostics are continued if their effective sample is at least NEAR; otherwise they begin again,
# with proposals learnt from their draws. The last run is longer; then the result is withheld. These are shares of the
# draws: with clips or texts, where a draw costs most, the first runs are shorter. Where an SD may be zero, they learn
# from a PILOT.
ATTEMPTS, CROSSED_ATTEMPTS = (1.0, 1.0, 4.0), (0.5, 0.5, 1.0, 3.0)
PILOT, NEAR = 0.1, 250.0
FEW = say("Usually there are too few ratings for each rater and system.")
FEW_CROSSED = say("Usually there are too few ratings for each rater, system and clip.")
# A run takes up to a minute at the first of these, and some at the second.
MOST_CROSSING, MOST_RATINGS = 500, 200_000


def rhat(draws: Floats) -> float:
    """Return the rank-normalised split R-hat of `draws` (chains, draws): the larger of its bulk and folded form.

    NaN if the draws never move (Vehtari et al. 2021, section 4).
    """
    halves = _split(draws)
    folded = np.abs(halves - np.median(halves))
    return max(_plain_rhat(_ranked(halves)), _plain_rhat(_ranked(folded)))


def ess_bulk(draws: Floats) -> float:
    """Return the effective number of `draws` (chains, draws) for the centre of their distribution."""
    return _ess(_ranked(_split(draws)))


def ess_tail(draws: Floats) -> float:
    """Return the smaller of the effective numbers of `draws` (chains, draws) for the 5 % and the 95 % quantile."""
    ends = np.quantile(draws, [0.05, 0.95])
    return min(_ess(_split((draws <= end).astype(np.float64))) for end in ends)


def hdi(draws: Floats, mass: float = 0.95) -> tuple[float, float]:
    """Return the narrowest interval that contains `mass` of the `draws`, of any shape."""
    ordered = np.sort(draws, axis=None)
    inside = int(np.floor(mass * len(ordered)))
    widths = ordered[inside:] - ordered[: len(ordered) - inside]
    first = int(widths.argmin())
    return float(ordered[first]), float(ordered[first + inside])


def _split(draws: Floats) -> Floats:
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, -half:]])


def _ranked(draws: Floats) -> Floats:
    ranks = rankdata(draws, axis=None).reshape(draws.shape)
    normal: Floats = ndtri((ranks - 0.375) / (draws.size + 0.25))
    return normal


def _plain_rhat(draws: Floats) -> float:
    length = draws.shape[1]
    within = draws.var(axis=1, ddof=1).mean()
    between = length * draws.mean(axis=1).var(ddof=1)
    return sqrt((between / within + length - 1) / length) if within > 0 else float("nan")


def _ess(draws: Floats) -> float:
    """Geyer's initial monotone sequence over all chains (Stan reference manual, 15.4)."""
    chains, length = draws.shape
    if np.ptp(draws) == 0:
        return float(draws.size)
    covariance = _autocovariance(draws)
    mean_variance = covariance[:, 0].mean() * length / (length - 1)
    total = mean_variance * (length - 1) / length + (draws.mean(axis=1).var(ddof=1) if chains > 1 else 0.0)
    rho = 1 - (mean_variance - covariance.mean(axis=0)) / total
    rho[0] = 1.0
    pairs = rho[: length // 2 * 2].reshape(-1, 2).sum(axis=1)
    stop = np.flatnonzero(pairs < 0)
    last = int(stop[0]) if len(stop) else len(pairs)
    sequence = np.minimum.accumulate(pairs[:last])
    # The first value after the sequence counts if positive: a better estimate for negative autocorrelation.
    after = max(float(rho[2 * last]), 0.0) if 2 * last < length else 0.0
    tau = max(-1 + 2 * float(sequence.sum()) + after, 1 / np.log10(draws.size))
    return float(draws.size / tau)


def _autocovariance(draws: Floats) -> Floats:
    length = draws.shape[1]
    centred = draws - draws.mean(axis=1, keepdims=True)
    size = 2 ** ceil(np.log2(2 * length))
    power: NDArray[np.complex128] = np.fft.rfft(centred, size)
    result: Floats = np.fft.irfft(power * power.conj(), size)[:, :length] / length
    return result


@dataclass(frozen=True, slots=True)
class SampledParameter:
    """A coefficient or SD: posterior mean, SD, 95 % highest-density interval and sampling diagnostics."""

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

    `sds` has a row for each random effect and "residual"; None if it may not be printed, as `notes` says. If `withheld`
    is not empty, it is a sentence on why nothing may be shown, and all rows and draws are empty.
    """

    coefficients: tuple[SampledParameter, ...]
    sds: dict[str, SampledParameter | None]
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

    Random effects and means are integrated out exactly; `chains` ≥ 4 of log SDs start three posterior SDs from the mode
    (`sampler`). R-hat is rank-normalised and split, ESS is that of bulk and tail (Vehtari et al. 2021). Every
    coefficient and SD must reach R-hat < 1.01 and ESS > 400. Otherwise the chains are continued, or begun again with
    proposals learnt from the run before (`ATTEMPTS`); after the last the result is withheld. Raises NotEstimable
    without a random effect to estimate or with too many clips and texts, ValueError below 4 chains.
    """
    if chains < 4:
        raise ValueError("R-hat needs at least four chains")
    chosen = choose(design, terms, least_cells=least_cells)
    if not chosen.kept:
        raise NotEstimable(joined(*chosen.dropped.values()))
    crossed = bool({CLIP, TEXT} & set(chosen.kept))
    if crossed:
        _limit(design, chosen.kept)
    posterior = LogPosterior(Likelihood.of(design, chosen.kept), prior, design.systems)
    start = np.full(len(chosen.kept) + 1, log(prior.sd_scale) - 1)
    start[-1] += 0.5
    attempts = CROSSED_ATTEMPTS if crossed else ATTEMPTS
    sampler = Sampler(posterior, start, rng, chains)
    if crossed and sampler.may_be_zero:
        sampler.run(ceil(draws * PILOT), ceil(warm_up * PILOT))
        sampler.learn()
    for share in attempts:
        drawn = sampler.run(round(draws * share), round(warm_up * share))
        summary = _summary(drawn, prior, chosen.kept, (*chosen.dropped.values(), *chosen.refused.values()))
        if not summary.withheld:
            break
        if summary.least_ess < NEAR:
            sampler.learn()
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


def _summary(drawn: Draws, prior: Prior, terms: tuple[str, ...], notes: tuple[str, ...]) -> Summary:
    coefficients = tuple(_row(drawn.means[:, :, index]) for index in range(drawn.means.shape[2]))
    names = (*terms, "residual")
    sds: dict[str, SampledParameter | None] = {
        name: _row(np.exp(drawn.logs[:, :, at])) for at, name in enumerate(names)
    }
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


def _row(draws: Floats) -> SampledParameter:
    low, high = hdi(draws)
    return SampledParameter(
        float(draws.mean()),
        float(draws.std(ddof=1)),
        low,
        high,
        rhat(draws),
        ess_bulk(draws),
        ess_tail(draws),
    )


def _without(summary: Summary, refused: dict[str, str]) -> Summary:
    for term in refused:
        if term in summary.sds:
            summary.sds[term] = None
    return summary

"""How far several Markov chains can be believed, and their highest-density intervals (Vehtari et al. 2021)."""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from analysis.stats.design import Floats


def rhat(draws: Floats) -> float:
    """Return the rank-normalised split R-hat of `draws` (chains, draws): the larger of its bulk and folded form.

    Not a number where the draws never move (Vehtari et al. 2021, section 4).
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
    """Return the narrowest interval that holds `mass` of the `draws`, whatever their shape."""
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
    # The first value after the sequence still counts when it is positive: it improves the estimate for negative ones.
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

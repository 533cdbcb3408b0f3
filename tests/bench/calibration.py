"""Do truths that are drawn from the prior rank evenly among the posterior's draws? `python -m tests.bench.calibration`.

Simulation-based calibration (Talts et al. 2018) of the Bayesian model with clips, over every coefficient and SD.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.stats import chi2

from analysis.stats.design import Design
from analysis.stats.mixed.likelihood import build
from analysis.stats.mixed.posterior import LogPosterior, Prior
from analysis.stats.mixed.sampler import sample_crossed
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE
from tests.bench.stage import say

BINS = 4
TERMS = (RATER, SLOPE, CLIP)
PRIOR = Prior(centre=0.0, spread=1.0, sd_scale=1.0)


def unevenness(studies: int, lengths: list[tuple[int, int]]) -> list[float]:
    """Return, for each coefficient and SD, the chi-squared distance of its ranks from even ones; 3 degrees of freedom.

    `lengths` are those of the sampler's tries: (warm-up, kept) draws of each of four chains.
    """
    rater, clip = (column.ravel() for column in np.indices((8, 8)))
    system, ranks = clip // 4, []
    for number in range(studies):
        own = np.random.default_rng((number, 7))
        sds = np.abs(own.standard_t(4, size=4))
        beta = own.normal(0, 1, 2)
        score = beta[system] + own.normal(0, sds[0], 8)[rater] + own.normal(0, sds[1], (8, 2))[rater, system]
        score = score + own.normal(0, sds[2], 8)[clip] + own.normal(0, sds[3], len(rater))
        posterior = LogPosterior(build(Design.of(score, rater, system, clip), TERMS), PRIOR, 2)
        *_, drawn = sample_crossed(posterior, np.zeros(4), own, chains=4, lengths=lengths)
        draws = np.concatenate([drawn.means.reshape(-1, 2), np.exp(drawn.logs.reshape(-1, 4))], axis=1)
        ranks.append((draws < np.concatenate([beta, sds])).mean(axis=0))
    even = studies / BINS
    counts = [np.histogram(of_one, bins=BINS, range=(0, 1))[0] for of_one in np.array(ranks).T]
    return [float(((count - even) ** 2).sum() / even) for count in counts]


def main() -> None:
    """Print each quantity's distance and how often chance alone makes one as large."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=80)
    studies = parser.parse_args().studies
    names = ("mean 1", "mean 2", "SD rater", "SD rater:system", "SD clip", "SD residual")
    for name, distance in zip(names, unevenness(studies, [(60, 30), (100, 30)]), strict=True):
        say(f"{name:<16} {distance:6.2f}  p = {chi2.sf(distance, BINS - 1):.4f}")


if __name__ == "__main__":
    main()

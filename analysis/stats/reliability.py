"""How reliable raters' means are, and whether single raters or texts decide the order of systems."""

from __future__ import annotations

import numpy as np

from analysis.stats.design import Codes, Design, Floats, NotEstimable, coded
from analysis.stats.figures import Icc
from analysis.stats.mixed import reml
from analysis.stats.mixed.likelihood import MOST_PIECES
from analysis.stats.mixed.terms import CLIP, RATER
from core.text.words import say

# Iterations of P.910's estimates, and the change at which they stop.
ROUNDS, STILL = 1000, 1e-10
# With few raters or clips the likelihood has no bound: one rater gets all the weight.
MOST_WEIGHT = 0.5


def cells(score: Floats, rater: Codes, clip: Codes) -> tuple[Floats, Codes, Codes]:
    """Return the mean of each occurring combination of rater and clip, with the codes of both; inputs of shape (n,)."""
    raters, clips = coded(rater)[1], coded(clip)[1]
    size = int(clips.max()) + 1
    keys, at = coded(raters * size + clips)
    mean = np.bincount(at, score) / np.bincount(at)
    return mean, keys // size, keys % size


def icc(score: Floats, rater: Codes, clip: Codes) -> Icc:
    """Return ICC(A,1) and ICC(A,k) from `score` (n,) by raters (n,) of clips (n,).

    Two-way random, absolute agreement: with the variances of score ~ 1 + (1 | rater) + (1 | clip) by REML,
    ICC(A,k) = σ²_clip / (σ²_clip + (σ²_rater + σ²_residual) / k). Needs no complete table; for one it is ICC(2,k) of
    Shrout and Fleiss (1979) unless a variance is zero. Raises NotEstimable.
    """
    means, raters, clips = cells(score, rater, clip)
    sizes = np.bincount(clips)
    if len(sizes) > MOST_PIECES:
        raise NotEstimable(say("There are more than {n} clips, too many for this model.", n=f"{MOST_PIECES:,}"))
    if sizes.max() < 2:
        raise NotEstimable(say("No clip has two ratings, so agreement can't be judged."))
    fit = reml.fit(Design.of(means, raters, np.zeros(len(means), dtype=np.int64), clips), (RATER, CLIP))
    by_rater, by_clip = fit.sds.get(RATER), fit.sds.get(CLIP)
    if by_rater is None or by_clip is None:
        raise NotEstimable(fit.notes[0])
    k = len(sizes) / float((1 / sizes).sum())
    true, error = by_clip**2, by_rater**2 + fit.residual_sd**2
    return Icc(
        single=true / (true + error),
        mean=true / (true + error / k),
        k=k,
        clips=len(sizes),
        raters=int(raters.max()) + 1,
        is_complete=len(means) == len(sizes) * (int(raters.max()) + 1),
    )


def corrected(table: Floats) -> tuple[Floats, Floats, Floats]:
    """Return clips' scores (c,) and raters' biases and inconsistencies (r,) from a complete `table` (clips, raters).

    Score of rater i for clip j = ψ_j + Δ_i + υ_i·N(0, 1), by maximum likelihood with alternating estimates: the
    subjective scores of ITU-T P.910 (2023), of Li, Bampis, Janowski and Katsavounidis (2020, "SUREAL"). Biases add to
    zero against the mean of ψ. Raises NotEstimable if one rater would outweigh all others, as with fewer than about 12
    raters or 20 clips.
    """
    score = table.mean(axis=1)
    for _round in range(ROUNDS):
        bias = (table - score[:, None]).mean(axis=0)
        spread = (table - score[:, None] - bias).std(axis=0)
        weight = np.maximum(spread, 1e-9) ** -2
        if weight.max() > MOST_WEIGHT * weight.sum():
            raise NotEstimable(
                say("Corrected means can't be estimated: one rater would outweigh all others. More raters are needed.")
            )
        latest = ((table - bias) * weight).sum(axis=1) / weight.sum()
        change, score = float(np.abs(latest - score).max()), latest
        if change < STILL:
            break
    bias = (table - score[:, None]).mean(axis=0)
    return score, bias, (table - score[:, None] - bias).std(axis=0)


def reordering(design: Design, cluster: Codes) -> tuple[list[int], int]:
    """Return the clusters without which the systems' means have another order, and how many were left out in turn.

    `cluster` (n,) are codes of raters or texts. Those with all ratings of a system are not left out. Ties count as an
    order of their own.
    """
    size = (int(cluster.max()) + 1, design.systems)
    cell = cluster * design.systems + design.system
    total = np.bincount(cell, design.score, minlength=size[0] * size[1]).reshape(size)
    count = np.bincount(cell, minlength=size[0] * size[1]).reshape(size)
    rest = count.sum(axis=0) - count
    possible = np.flatnonzero((rest > 0).all(axis=1))
    means = (total.sum(axis=0) - total)[possible] / rest[possible]
    whole = total.sum(axis=0) / count.sum(axis=0)
    is_other = (_signs(means) != _signs(whole[None, :])).any(axis=(1, 2))
    return [int(each) for each in possible[is_other]], len(possible)


def _signs(means: Floats) -> Floats:
    """Return (m, g, g): whether each system is above (1), equal to (0) or below (−1) each other one."""
    apart: Floats = np.sign(np.round(means[:, :, None] - means[:, None, :], 12))
    return apart

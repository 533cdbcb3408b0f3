"""Draws of log SDs: independence Metropolis–Hastings around the mode, slice sampling where that fits badly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import log

import numpy as np
from scipy import optimize

from analysis.stats.design import Floats, Mask
from analysis.stats.mixed.posterior import LogPosterior, PosteriorPoint
from analysis.stats.numeric import hessian

# The proposal: a Student-t with heavier tails than the posterior, and slightly wider.
PROPOSAL_DF = 4.0
WIDER = 1.15
# Chains start this many posterior SDs from the mode, so that R-hat can detect chains that don't mix.
APART = 3.0
LEAST_ACCEPTED = 0.4
# Log SDs further than LIMIT from the mode and SDs below TINY are never visited; the mode is searched NEAR the start.
LIMIT, NEAR, TINY, WORST = 15.0, 7.0, 1e-8, 1e15
# A log SD with a larger posterior SD may be zero, so it is sampled as a plain SD. The limit is stricter with clips and
# texts, which can't fall back on slice sampling.
UNSURE, UNSURE_CROSSED = 0.5, 0.1
# Also with clips and texts: this share of the proposals is this many times wider, so that chains leave tails.
WIDE_SHARE, WIDE = 0.1, 3.0


@dataclass(frozen=True, slots=True)
class Draws:
    """`logs` (chains, draws, terms + 1) and `means` (chains, draws, p), the sampling method, and the share accepted."""

    logs: Floats
    means: Floats
    method: str
    accepted: float


@dataclass(frozen=True, slots=True)
class _Shape:
    """The posterior's mode and axes in suitable coordinates: log SDs, but plain SDs if zero is plausible.

    Near zero a log SD has a tail that no proposal fits. A plain SD ends at zero, so proposals below zero are mirrored.
    `flips` (2^m, k) are the mirror images of one point.
    """

    posterior: LogPosterior
    plain: Mask
    mode: Floats
    factor: Floats
    inverse: Floats
    flips: Floats
    wide: float

    @classmethod
    def of(cls, posterior: LogPosterior, start: Floats, unsure: float, wide: float = 0.0) -> _Shape:
        nowhere = np.zeros(len(start), dtype=np.bool_)
        logs, factor = _top(posterior, nowhere, start)
        plain = np.sqrt((factor**2).sum(axis=1)) > unsure
        plain[-1] = False
        if plain.any():
            logs, factor = _top(posterior, plain, np.where(plain, np.exp(logs), logs))
        return cls._around(posterior, plain, logs, factor, wide)

    @classmethod
    def _around(cls, posterior: LogPosterior, plain: Mask, mode: Floats, factor: Floats, wide: float) -> _Shape:
        signs = [(1.0, -1.0) if each else (1.0,) for each in plain]
        inverse = np.linalg.inv(WIDER * factor).astype(np.float64)
        return cls(posterior, plain, mode, factor, inverse, np.array(list(product(*signs))), wide)

    def learnt(self, logs: Floats) -> _Shape:
        """Return the shape estimated from draws of log SDs (…, k), if the curvature at the mode is not enough."""
        places = np.where(self.plain, np.exp(logs), logs).reshape(-1, len(self.mode))
        # For an SD with mode zero, the mirror image is included, so the centre stays at zero.
        centre = np.where(self.plain, self.mode, places.mean(axis=0))
        # A small part of the current shape keeps this positive definite if chains never moved.
        spread = (places - centre).T @ (places - centre) / len(places) + 0.01 * self.factor @ self.factor.T
        factor = np.linalg.cholesky(spread).astype(np.float64)
        return self._around(self.posterior, self.plain, centre, factor, self.wide)

    def at(self, place: Floats) -> tuple[PosteriorPoint, float]:
        """Return the posterior at `place`, and its log density in these coordinates."""
        return _at(self.posterior, self.plain, place)

    def away(self, rng: np.random.Generator) -> Floats:
        """Propose a place."""
        stretch = np.sqrt(PROPOSAL_DF / rng.chisquare(PROPOSAL_DF))
        if self.wide and rng.random() < self.wide:
            stretch *= WIDE
        return self.fold(self.mode + WIDER * self.factor @ (rng.standard_normal(len(self.mode)) * stretch))

    def density(self, place: Floats) -> float:
        """Return the proposal's log density at `place`, summed over its mirror images, up to a constant."""
        steps = (self.flips * place - self.mode) @ self.inverse.T
        squares, power = (steps**2).sum(axis=1) / PROPOSAL_DF, -(PROPOSAL_DF + len(place)) / 2
        each = (1 + squares) ** power
        if self.wide:
            each = (1 - self.wide) * each + self.wide * (1 + squares / WIDE**2) ** power / WIDE ** len(place)
        return log(float(each.sum()))

    def start(self, rng: np.random.Generator) -> Floats:
        direction = rng.standard_normal(len(self.mode))
        return self.fold(self.mode + self.factor @ (APART * direction / np.linalg.norm(direction)))

    def inside(self, place: Floats) -> bool:
        """True if `place` may be visited; plain SDs, in the units of the scores, have no limit."""
        return bool((np.abs(place - self.mode) < np.where(self.plain, np.inf, LIMIT)).all())

    def fold(self, place: Floats) -> Floats:
        return np.where(self.plain, np.abs(place), place)


def _at(posterior: LogPosterior, plain: Mask, place: Floats) -> tuple[PosteriorPoint, float]:
    logs = place.copy()
    logs[plain] = np.log(np.maximum(np.abs(place[plain]), TINY))
    point = posterior.at(logs)
    return point, point.density - float(logs[plain].sum())


def _top(posterior: LogPosterior, plain: Mask, start: Floats) -> tuple[Floats, Floats]:
    """Return the mode and a root of the inverse curvature there."""

    def cost(place: Floats) -> float:
        return min(-_at(posterior, plain, place)[1], WORST)

    bounds = [(0.0, None) if each else (at - NEAR, at + NEAR) for each, at in zip(plain, start, strict=True)]
    optimum = optimize.minimize(cost, start, method="L-BFGS-B", bounds=bounds, options={"eps": 1e-5})
    step = np.where(plain, 0.05 * np.exp(optimum.x[-1]), 0.01)
    values, vectors = np.linalg.eigh(hessian(lambda scaled: cost(scaled * step), optimum.x / step, step=1.0))
    curvature = vectors * np.sqrt(1 / np.maximum(values, 1e-5))
    return np.asarray(optimum.x, dtype=np.float64), np.asarray(step[:, None] * curvature, dtype=np.float64)


def sample(
    posterior: LogPosterior,
    start: Floats,
    rng: np.random.Generator,
    *,
    chains: int,
    draws: int,
    warm_up: int,
    slices: bool = False,
) -> Draws:
    """Draw from `posterior`; the search for its mode starts at `start` (terms + 1,) log SDs.

    Each draw of log SDs is followed by an exact draw of the means. If fewer than 40 % of the proposals are accepted, or
    `slices` is set, all chains are slice samplers (Neal 2003) along the axes of the posterior: about fifteen times
    slower, but reliable in tails that no proposal fits.
    """
    shape = _Shape.of(posterior, start, UNSURE)
    if not slices:
        drawn = _by_proposals(shape, rng, chains, draws, warm_up)
        if drawn.accepted >= LEAST_ACCEPTED:
            return drawn
    cut = [_slices(shape, rng, draws, warm_up) for _ in range(chains)]
    return Draws(np.stack([run[0] for run in cut]), np.stack([run[1] for run in cut]), "slice", 1.0)


def sample_crossed(
    posterior: LogPosterior, start: Floats, rng: np.random.Generator, *, chains: int, lengths: Sequence[tuple[int, int]]
) -> Iterator[Draws]:
    """Yield a run of draws for each of `lengths`, only by proposals: slices would need too many expensive densities.

    `lengths` are (draws, warm-up) of the runs. The first run proposes around the mode; each later run starts over, with
    proposals learnt from the run before.
    """
    shape = _Shape.of(posterior, start, UNSURE_CROSSED, WIDE_SHARE)
    for draws, warm_up in lengths:
        drawn = _by_proposals(shape, rng, chains, draws, warm_up)
        yield drawn
        shape = shape.learnt(drawn.logs)


def _by_proposals(shape: _Shape, rng: np.random.Generator, chains: int, draws: int, warm_up: int) -> Draws:
    runs = [_independence(shape, rng, draws, warm_up) for _ in range(chains)]
    accepted = float(np.mean([share for _, _, share in runs]))
    return Draws(np.stack([run[0] for run in runs]), np.stack([run[1] for run in runs]), "independence", accepted)


def _independence(shape: _Shape, rng: np.random.Generator, draws: int, warm_up: int) -> tuple[Floats, Floats, float]:
    place = shape.start(rng)
    point, here = shape.at(place)
    here -= shape.density(place)
    logs, means, moved = _room(point, draws)
    for step in range(-warm_up, draws):
        place = shape.away(rng)
        if shape.inside(place):
            other, there = shape.at(place)
            there -= shape.density(place)
            if log(rng.random()) < there - here:
                point, here = other, there
                moved += step >= 0
        if step >= 0:
            logs[step], means[step] = point.logs, point.draw(rng)
    return logs, means, moved / draws


def _slices(shape: _Shape, rng: np.random.Generator, draws: int, warm_up: int) -> tuple[Floats, Floats]:
    place = shape.start(rng)
    point, density = shape.at(place)
    logs, means, _ = _room(point, draws)
    for step in range(-warm_up, draws):
        for axis in shape.factor.T:
            place, point, density = _slice(shape, place, density, 2 * axis, rng)
        if step >= 0:
            logs[step], means[step] = point.logs, point.draw(rng)
    return logs, means


def _slice(
    shape: _Shape, place: Floats, density: float, axis: Floats, rng: np.random.Generator
) -> tuple[Floats, PosteriorPoint, float]:
    """Move along `axis`: step out from a random interval of its length, then shrink (Neal 2003, figures 3 and 5)."""
    level = density + log(rng.random())

    def at(distance: float) -> tuple[Floats, PosteriorPoint, float] | None:
        # Below zero is the mirror image of the same density, so a line may cross zero.
        there = place + distance * axis
        if not shape.inside(there):
            return None
        candidate = (there, *shape.at(there))
        return candidate if candidate[2] > level else None

    low = -rng.random()
    high = low + 1
    while at(low):
        low -= 1
    while at(high):
        high += 1
    while True:
        distance = low + rng.random() * (high - low)
        candidate = at(distance)
        if candidate:
            return candidate
        low, high = (distance, high) if distance < 0 else (low, distance)


def _room(point: PosteriorPoint, draws: int) -> tuple[Floats, Floats, int]:
    return np.empty((draws, len(point.logs))), np.empty((draws, len(point.centre))), 0

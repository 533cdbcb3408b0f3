"""Draws of log SDs: independence Metropolis–Hastings around the mode, then with proposals learnt from the draws."""

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
# Log SDs further than LIMIT from the mode and SDs below TINY are never visited; the mode is searched NEAR the start.
LIMIT, NEAR, TINY, WORST = 15.0, 7.0, 1e-8, 1e15
# A log SD with a larger posterior SD may be zero, so it is sampled as a plain SD.
UNSURE = 0.1
# This share of the proposals is this many times wider, so that chains leave tails.
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

    @classmethod
    def of(cls, posterior: LogPosterior, start: Floats) -> _Shape:
        nowhere = np.zeros(len(start), dtype=np.bool_)
        logs, factor = _top(posterior, nowhere, start)
        plain = np.sqrt((factor**2).sum(axis=1)) > UNSURE
        plain[-1] = False
        if plain.any():
            logs, factor = _top(posterior, plain, np.where(plain, np.exp(logs), logs))
        return cls._around(posterior, plain, logs, factor)

    @classmethod
    def _around(cls, posterior: LogPosterior, plain: Mask, mode: Floats, factor: Floats) -> _Shape:
        signs = [(1.0, -1.0) if each else (1.0,) for each in plain]
        inverse = np.linalg.inv(WIDER * factor).astype(np.float64)
        return cls(posterior, plain, mode, factor, inverse, np.array(list(product(*signs))))

    def learnt(self, logs: Floats) -> _Shape:
        """Return the shape estimated from draws of log SDs (…, k), if the curvature at the mode is not enough."""
        places = np.where(self.plain, np.exp(logs), logs).reshape(-1, len(self.mode))
        # For an SD with mode zero, the mirror image is included, so the centre stays at zero.
        centre = np.where(self.plain, self.mode, places.mean(axis=0))
        # A small part of the current shape keeps this positive definite if chains never moved.
        spread = (places - centre).T @ (places - centre) / len(places) + 0.01 * self.factor @ self.factor.T
        factor = np.linalg.cholesky(spread).astype(np.float64)
        return self._around(self.posterior, self.plain, centre, factor)

    def at(self, place: Floats) -> tuple[PosteriorPoint, float]:
        """Return the posterior at `place`, and its log density in these coordinates."""
        return _at(self.posterior, self.plain, place)

    def away(self, rng: np.random.Generator) -> Floats:
        """Propose a place."""
        stretch = np.sqrt(PROPOSAL_DF / rng.chisquare(PROPOSAL_DF))
        if rng.random() < WIDE_SHARE:
            stretch *= WIDE
        return self.fold(self.mode + WIDER * self.factor @ (rng.standard_normal(len(self.mode)) * stretch))

    def density(self, place: Floats) -> float:
        """Return the proposal's log density at `place`, summed over its mirror images, up to a constant."""
        steps = (self.flips * place - self.mode) @ self.inverse.T
        squares, power = (steps**2).sum(axis=1) / PROPOSAL_DF, -(PROPOSAL_DF + len(place)) / 2
        near, far = (1 + squares) ** power, (1 + squares / WIDE**2) ** power / WIDE ** len(place)
        return log(float(((1 - WIDE_SHARE) * near + WIDE_SHARE * far).sum()))

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
    posterior: LogPosterior, start: Floats, rng: np.random.Generator, *, chains: int, lengths: Sequence[tuple[int, int]]
) -> Iterator[Draws]:
    """Yield a run of draws from `posterior` for each of `lengths`: its draws and its warm-up, a chain.

    The search for the mode starts at `start` (terms + 1,) log SDs. The first run proposes around the mode; each later
    run starts over, with proposals learnt from the run before. Each draw of log SDs is followed by an exact draw of the
    means.
    """
    shape = _Shape.of(posterior, start)
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


def _room(point: PosteriorPoint, draws: int) -> tuple[Floats, Floats, int]:
    return np.empty((draws, len(point.logs))), np.empty((draws, len(point.centre))), 0

"""Draws of log SDs: independence Metropolis–Hastings around the mode, then with proposals learnt from the draws."""

from __future__ import annotations

from dataclasses import dataclass, field
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
        centre = np.where(self.plain & (self.mode == 0), self.mode, places.mean(axis=0))
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


@dataclass(slots=True)
class _Chain:
    """A chain at `point`, whose log density exceeds the proposal's by `here`; its draws, and the moves among them."""

    shape: _Shape
    point: PosteriorPoint
    here: float
    logs: list[Floats] = field(default_factory=list)
    means: list[Floats] = field(default_factory=list)
    moved: int = 0

    @classmethod
    def begin(cls, shape: _Shape, rng: np.random.Generator, warm_up: int) -> _Chain:
        """Return a chain without draws, `warm_up` steps from its start."""
        place = shape.start(rng)
        point, density = shape.at(place)
        chain = cls(shape, point, density - shape.density(place))
        for _ in range(warm_up):
            chain.step(rng)
        return chain

    def step(self, rng: np.random.Generator) -> bool:
        """Propose a place, and return whether the chain moved there."""
        place = self.shape.away(rng)
        if not self.shape.inside(place):
            return False
        point, density = self.shape.at(place)
        there = density - self.shape.density(place)
        if log(rng.random()) >= there - self.here:
            return False
        self.point, self.here = point, there
        return True

    def run(self, rng: np.random.Generator, draws: int) -> None:
        for _ in range(draws):
            self.moved += self.step(rng)
            self.logs.append(self.point.logs)
            self.means.append(self.point.draw(rng))


class Sampler:
    """Chains that draw from `posterior`; the search for its mode starts at `start` (terms + 1,) log SDs.

    Each draw of log SDs is followed by an exact draw of the means.
    """

    def __init__(self, posterior: LogPosterior, start: Floats, rng: np.random.Generator, chains: int) -> None:
        self._shape = _Shape.of(posterior, start)
        self._rng, self._number = rng, chains
        self._chains: list[_Chain] = []

    @property
    def may_be_zero(self) -> bool:
        """True if zero is plausible for an SD, where the curvature at the mode says little of the posterior's shape."""
        return bool(self._shape.plain.any())

    def run(self, draws: int, warm_up: int) -> Draws:
        """Return the draws so far with as many more of each chain; new chains take `warm_up` steps before."""
        for at in range(self._number):
            if len(self._chains) == at:
                self._chains.append(_Chain.begin(self._shape, self._rng, warm_up))
            self._chains[at].run(self._rng, draws)
        logs, means = (np.array([getattr(chain, name) for chain in self._chains]) for name in ("logs", "means"))
        accepted = sum(chain.moved for chain in self._chains) / (logs.shape[0] * logs.shape[1])
        return Draws(logs, means, "independence", accepted)

    def learn(self) -> None:
        """Begin again, with proposals learnt from the draws so far."""
        self._shape = self._shape.learnt(np.array([chain.logs for chain in self._chains]))
        self._chains = []

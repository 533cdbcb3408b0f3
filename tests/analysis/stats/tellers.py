"""Raters who tell human from synthetic speech: a crowd with known d′ and AUC."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtri

from analysis.stats.design import Codes, Floats, Mask
from tests.analysis.stats.listeners import GAP

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


@dataclass(frozen=True, slots=True)
class Study:
    """Answers as columns of shape (n,)."""

    scores: Floats
    human: Mask
    rater: Codes
    clip: Codes


@dataclass(frozen=True, slots=True)
class Tellers:
    """`clips` and `each` are (synthetic, human): how many there are and how many each rater hears.

    `called_human` is how often each kind is called Human, over raters and clips; the SDs are on the latent scale
    (log-odds). With `uneven`, raters hear very different numbers of clips.
    """

    raters: int
    clips: tuple[int, int]
    each: tuple[int, int]
    called_human: tuple[float, float]
    clip: float = 0.8
    rater: float = 1.0
    liking: float = 0.5
    uneven: bool = False

    @property
    def spread(self) -> float:
        return float(np.sqrt(self.clip**2 + self.rater**2 + self.liking**2))

    def places(self) -> Floats:
        """Return the latent place of synthetic and of human speech."""

        def off(place: float, share: float) -> float:
            return float(WEIGHTS @ expit(place - GAP + self.spread * NODES)) - share

        return np.array([brentq(off, -30, 30, args=(share,)) for share in self.called_human])

    def truth(self) -> tuple[float, float]:
        """Return d′ and AUC of all raters and clips that there could be."""
        latent = self.places()[:, None] + self.spread * NODES
        human, any_but_machine = expit(latent - GAP) @ WEIGHTS, expit(latent) @ WEIGHTS
        synthetic, real = np.stack([1 - any_but_machine, any_but_machine - human, human], axis=1)
        auc = real @ (np.cumsum(synthetic) - synthetic / 2)
        return float(ndtri(self.called_human[1]) - ndtri(self.called_human[0])), float(auc)

    def study(self, rng: np.random.Generator) -> Study:
        """Draw raters, clips, who hears what, and the answers: Human 1, Unclear ½, Machine 0."""
        activity = rng.gamma(1.5, size=self.raters) / 1.5 if self.uneven else np.ones(self.raters)
        kind, who, clip = [], [], []
        for at, (there, each) in enumerate(zip(self.clips, self.each, strict=True)):
            sizes = np.clip(np.rint(each * activity), 1, there).astype(int)
            order = np.argsort(rng.random((self.raters, there)), axis=1)
            rows, columns = np.nonzero(np.arange(there) < sizes[:, None])
            who.append(rows)
            clip.append(order[rows, columns] + at * self.clips[0])
            kind.append(np.full(len(rows), at))
        which, rater, heard = np.concatenate(kind), np.concatenate(who), np.concatenate(clip)
        latent = self.places()[which] + rng.normal(0, self.rater, self.raters)[rater]
        latent += rng.normal(0, self.liking, (self.raters, 2))[rater, which]
        latent += rng.normal(0, self.clip, sum(self.clips))[heard]
        drawn = rng.random(len(latent))
        scores = np.where(drawn < expit(latent - GAP), 1.0, np.where(drawn < expit(latent), 0.5, 0.0))
        return Study(scores, which == 1, rater, heard)

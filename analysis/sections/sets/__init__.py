"""Systems compared several at once: counts or mean ranks, and strengths of the systems."""

from __future__ import annotations

from analysis.sections.shared import Record
from analysis.stats.figures import HalvesOfAnswers, PairProbability, SystemStrength


class SystemCounts(Record):
    """How often a system was the best or the worst of a set; `score` is (best − worst) / shown, from −1 to 1."""

    name: str
    shown: int
    best: int
    worst: int
    score: float
    low: float | None
    high: float | None
    note: str = ""


class SystemRank(Record):
    """A system's mean rank, 1 is the best."""

    name: str
    shown: int
    rank: float
    low: float | None
    high: float | None
    note: str = ""


class SetResults(Record):
    """Either `counts` or `ranks`. No strengths: `refused` says why.

    `sizes` are the numbers of clips in the sets: mean ranks of sets of different sizes don't compare.
    """

    counts: tuple[SystemCounts, ...] = ()
    ranks: tuple[SystemRank, ...] = ()
    sizes: tuple[int, ...] = ()
    systems: tuple[SystemStrength[str], ...] = ()
    probabilities: tuple[PairProbability[str], ...] = ()
    halves: HalvesOfAnswers | None = None
    halves_refused: str = ""
    refused: str = ""

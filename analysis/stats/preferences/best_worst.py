"""Best–worst scaling: the best and the worst of several clips (rule D14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.stats.design import Codes, Floats, NotEstimable, coded
from analysis.stats.figures import HalvesOfAnswers
from analysis.stats.intervals import Interval, intervals
from analysis.stats.preferences.checks import wins_of
from analysis.stats.preferences.choices import Choices
from analysis.stats.preferences.tuples import Model, Shown, model, stages
from core.text.words import say

SPLITS = 100
LEAST_ITEMS = 3


@dataclass(frozen=True, slots=True)
class Counts:
    """A system's counts, and (best − worst) / shown with its interval by raters and texts, from −1 to 1."""

    system: int
    shown: int
    best: int
    worst: int
    score: Interval


@dataclass(frozen=True, slots=True)
class BestWorst:
    """Counts and scores of systems by code, and their strengths."""

    names: tuple[str, ...]
    counts: tuple[Counts, ...]
    model: Model


@dataclass(frozen=True, slots=True)
class BestWorstAnswers:
    """What was shown, and the rows of `Shown.system` chosen as best and worst of each answer."""

    shown: Shown
    best: Codes
    worst: Codes

    @classmethod
    def of(
        cls, rater: Any, text: Any, shown: Sequence[Sequence[Any]], best: Sequence[Any], worst: Sequence[Any]
    ) -> BestWorstAnswers:
        """Code answers; `best` and `worst` (n,) are labels among `shown`, three or more in each answer.

        `text` is None if the clips of an answer speak different texts. Raises what `Shown.of` raises, and ValueError if
        the best is also the worst or one of them was not shown.
        """
        table = Shown.of(rater, text, shown)
        if min(len(systems) for systems in shown) < 3:
            raise ValueError("best and worst need three or more systems")
        if any(one == other for one, other in zip(best, worst, strict=True)):
            raise ValueError("the best can't be the worst")
        start = np.searchsorted(table.answer, np.arange(len(shown)))
        rows = [
            start + np.array([list(systems).index(label) for systems, label in zip(shown, labels, strict=True)])
            for labels in (best, worst)
        ]
        return cls(table, *rows)

    @property
    def score(self) -> Floats:
        """1 for the best, −1 for the worst, 0 for the others, by row of `shown.system`."""
        score = np.zeros(len(self.shown.system))
        score[self.best], score[self.worst] = 1.0, -1.0
        return score


def analyse(answers: BestWorstAnswers, *, level: float = 0.95) -> BestWorst:
    """Count, and fit P(best, worst) = exp(λ_b) / Σ exp(λ) · exp(−λ_w) / Σ over the others exp(−λ).

    The best of k, then the worst of the k − 1 left (sequential best–worst; Marley and Louviere 2005). An answer is one
    cluster, inside its rater and text.
    """
    shown, size = answers.shown, len(answers.shown.names)
    score = answers.score
    totals = (np.bincount(shown.system[rows], minlength=size) for rows in (answers.best, answers.worst))
    means = shown.means(score)
    counts = tuple(
        Counts(system, int(means.ratings[system]), int(best), int(worst), interval)
        for system, (best, worst, interval) in enumerate(
            zip(*totals, intervals(means, low=-1.0, high=1.0, level=level), strict=True)
        )
    )
    return BestWorst(shown.names, counts, model(shown, choices_of(answers), _wins(answers), level=level))


def choices_of(answers: BestWorstAnswers) -> Choices:
    """Return two choices for each answer: the best of all, the worst of the others."""
    shown, count = answers.shown, len(answers.best)
    others = np.delete(np.arange(len(shown.system)), answers.best)
    system = np.concatenate([shown.system, shown.system[others]])
    choice = np.concatenate([shown.answer, shown.answer[others] + count])
    worst = len(shown.system) + np.searchsorted(others, answers.worst)
    chosen = np.concatenate([answers.best, worst])
    sign = np.repeat([1.0, -1.0], count)
    return stages(system, choice, chosen, np.tile(np.arange(count), 2), sign, len(shown.names))


def _wins(answers: BestWorstAnswers) -> Codes:
    """Return how often a system is known to be above another: the best above all, the worst below all."""
    shown, score = answers.shown, answers.score
    best, worst = shown.system[answers.best][shown.answer], shown.system[answers.worst][shown.answer]
    below, between = score < 1, score == 0
    size = len(shown.names)
    return wins_of(best[below], shown.system[below], size) + wins_of(shown.system[between], worst[between], size)


def split_half(answers: BestWorstAnswers, rng: np.random.Generator, *, splits: int = SPLITS) -> HalvesOfAnswers:
    """Correlate (best − worst) / shown between random halves of the answers to each tuple, `splits` times.

    `low` and `high` contain 95 % of Pearson's correlations. Tuples with one answer are left out. Raises NotEstimable
    below three systems in both halves, or where all scores of a half are the same.
    """
    shown, score = answers.shown, answers.score
    tuples = coded(_keys(shown))[1]
    pearson = []
    for _ in range(splits):
        half = _halves(tuples, rng)[shown.answer]
        first, second = (_scores(shown.system, score, half == side, len(shown.names)) for side in (0, 1))
        known = ~np.isnan(first) & ~np.isnan(second)
        if known.sum() < LEAST_ITEMS or not np.ptp(first[known]) or not np.ptp(second[known]):
            continue
        pearson.append(float(np.corrcoef(first[known], second[known])[0, 1]))
    if not pearson:
        raise NotEstimable(
            say("Halves can't be compared: tuples need two answers, and three systems different scores.")
        )
    low, high = np.quantile(pearson, [0.025, 0.975])
    return HalvesOfAnswers(float(np.mean(pearson)), float(low), float(high), len(pearson))


def _keys(shown: Shown) -> list[str]:
    """Return a key (answers,) of the set of systems shown and its text."""
    ends = np.flatnonzero(np.diff(shown.answer)) + 1
    keys = [" ".join(map(str, sorted(part.tolist()))) for part in np.split(shown.system, ends)]
    return keys if shown.text is None else [f"{key}/{text}" for key, text in zip(keys, shown.text, strict=True)]


def _halves(tuples: Codes, rng: np.random.Generator) -> Codes:
    """Return 0 or 1 (answers,) at random, equally often in each tuple; −1 for a tuple's odd answer."""
    order = np.lexsort((rng.random(len(tuples)), tuples))
    sizes = np.bincount(tuples)
    place = np.arange(len(tuples)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    half = np.empty(len(tuples), dtype=np.int64)
    half[order] = np.where(place < sizes[tuples[order]] // 2 * 2, place % 2, -1)
    return half


def _scores(system: Codes, score: Floats, mask: Any, size: int) -> Floats:
    result: Floats = np.full(size, np.nan)
    count = np.bincount(system[mask], minlength=size)
    np.divide(np.bincount(system[mask], score[mask], minlength=size), count, out=result, where=count > 0)
    return result

"""What the answers say of each pair of folders (rules of very small tests: docs/statistics.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from analysis.stats.preferences.answers import Preferences
from analysis.stats.preferences.duel import Share, duel, score_gap
from quick.answers import Answer, pairs

# The largest difference of two scores.
REACH = {"acr": 4.0, "mushra": 100.0}
# Pairs that a report lists.
LISTED = 10


@dataclass(frozen=True, slots=True)
class Verdict:
    """`first` is the folder that did better (ABX: any); `share` is about it, `mean` the mean gap in its favour.

    `p` is the larger one where there are two, and adjusted for the number of pairs (Holm). `against` are the texts on
    which the answers went against it, the clearest first.
    """

    first: str
    second: str
    wins: int
    losses: int
    ties: int
    mean: float
    share: Share
    p: float | None
    against: tuple[str, ...]


def verdicts(answers: Sequence[Answer], folders: Sequence[str], task: str, seed: int) -> list[Verdict]:
    """Compare every pair that was answered."""
    results = [_verdict(first, second, of_pair, task, seed) for first, second, of_pair in pairs(answers, folders)]
    return _adjusted(results)


def _verdict(first: str, second: str, answers: Sequence[Answer], task: str, seed: int) -> Verdict:
    mean = fmean(each.gap for each in answers)
    if mean < 0 and task != "abx":
        first, second, mean = second, first, -mean
        answers = [each._replace(gap=-each.gap) for each in answers]
    gaps = [each.gap for each in answers]
    counts = (sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps), sum(gap == 0 for gap in gaps))
    share = _share(answers, task, seed)
    known = [p for p in (share.p, share.p_flips) if p is not None]
    return Verdict(first, second, *counts, mean, share, max(known, default=None), _against(answers, mean))


def _share(answers: Sequence[Answer], task: str, seed: int) -> Share:
    rng = np.random.default_rng(seed)
    listener, text = [each.listener for each in answers], [each.text for each in answers]
    gap = np.array([each.gap for each in answers])
    if task in REACH:
        return score_gap(listener, text, gap, REACH[task], rng)
    outcome = np.where(gap > 0, "first", np.where(gap < 0, "second", "tie"))
    sides = np.full(len(gap), "first"), np.full(len(gap), "second")
    return duel(Preferences.of(listener, text, *sides, outcome), rng).share


def _against(answers: Sequence[Answer], mean: float) -> tuple[str, ...]:
    by_text: dict[str, list[float]] = {}
    for each in answers:
        by_text.setdefault(each.text, []).append(each.gap)
    means = {text: fmean(gaps) for text, gaps in by_text.items()}
    against = [text for text, each in means.items() if each * mean < 0]
    return tuple(sorted(against, key=lambda text: -abs(means[text]))[:LISTED])


def _adjusted(results: list[Verdict]) -> list[Verdict]:
    """Adjust p for the number of pairs (Holm 1979)."""
    order = sorted((each for each in results if each.p is not None), key=lambda each: each.p or 0.0)
    adjusted: dict[tuple[str, str], float] = {}
    reached = 0.0
    for number, each in enumerate(order):
        reached = max(reached, min(1.0, (len(order) - number) * (each.p or 0.0)))
        adjusted[each.first, each.second] = reached
    return [replace(each, p=adjusted.get((each.first, each.second))) for each in results]

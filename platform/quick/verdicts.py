"""What the answers say of each pair of folders (rules of very small tests: docs/statistics.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from analysis.stats.preferences.answers import Preferences
from analysis.stats.preferences.duel import Rule, Share, duel, score_gap
from quick.answers import Answer, pairs
from quick.trials import ALPHA
from quick.wording import p_value, percent

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


def sentence(verdict: Verdict, task: str, pairs_compared: int) -> str:
    """Return the result of one pair in one line."""
    share = verdict.share
    if share.rule is Rule.COUNTS or share.value is None or share.p is None or verdict.p is None:
        return f"{_counts(verdict, task)} {share.note}"
    evidence = "" if verdict.p < ALPHA else " No clear difference."
    figures = f"{_claim(verdict, task)} ({_interval(share, task)}; {_tests(verdict, pairs_compared)})."
    return f"{figures}{evidence} {share.note}".strip()


def _counts(verdict: Verdict, task: str) -> str:
    if task == "abx":
        total = verdict.wins + verdict.losses
        return f"{verdict.first} and {verdict.second}: X was recognised in {verdict.wins} of {total} answers."
    ties = f", equal {verdict.ties}" if verdict.ties else ""
    return f"{verdict.first} {verdict.wins}, {verdict.second} {verdict.losses}{ties}."


def _claim(verdict: Verdict, task: str) -> str:
    share, value = verdict.share, verdict.share.value or 0.0
    of = {
        Rule.ONE_RATER: f"on {round(value * share.texts)} of {share.texts} texts, {percent(value)}",
        Rule.FEW_RATERS: f"in {percent(value)}, the mean of {share.texts} texts",
        Rule.TWO_WAY: f"in {percent(value)} of {verdict.wins + verdict.losses} answers",
    }.get(share.rule, "")
    ties = f", {verdict.ties} equal" if verdict.ties else ""
    if task == "abx":
        return f"{verdict.first} and {verdict.second}: X was recognised {of}"
    if task == "ab":
        return f"{verdict.first} was preferred to {verdict.second} {of}{ties}"
    if share.rule is Rule.ONE_RATER:
        return f"{verdict.first} was rated higher than {verdict.second} {of}{ties}"
    return f"{verdict.first} was rated {_number(value, task)} points higher than {verdict.second}"


def _interval(share: Share, task: str) -> str:
    low, high = share.low or 0.0, share.high or 0.0
    if task in REACH and share.rule is not Rule.ONE_RATER:
        return f"95 % interval {_number(low, task)} to {_number(high, task)}"
    return f"95 % interval {100 * low:.0f} to {percent(high)}"


def _number(value: float, task: str) -> str:
    return f"{value:.{2 if task == 'acr' else 1}f}".replace("-", "−")


def _tests(verdict: Verdict, pairs_compared: int) -> str:
    share = verdict.share
    if pairs_compared > 1:
        return f"{p_value(verdict.p or 0.0)} adjusted for {pairs_compared} pairs"
    if share.rule is Rule.ONE_RATER:
        return f"sign test {p_value(share.p or 0.0)}"
    if share.p_flips is not None:
        return f"t {p_value(share.p or 0.0)}, sign flips {p_value(share.p_flips)}"
    return p_value(share.p or 0.0)

"""Which texts are heard, and what so many of them can show."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from random import Random
from typing import TypeVar

from scipy.stats import binomtest

from quick.wording import p_value

T = TypeVar("T")
# A result with a larger p is no evidence of a difference.
ALPHA = 0.05
FEW = 5
# Our estimates: how often a listener plays each clip of a trial, and the seconds of an answer besides, which are those
# of the dry run. Five clips of 9 s on a MUSHRA screen take 42 s each (HFR paper, Table 5: 42.45 s, lengths unknown).
PLAYS = {"ab": 2, "abx": 2, "acr": 1, "mushra": 3}
ANSWERING = 10.0
_RATED = "one listener must rate the same folder higher on at least {wins} of {texts} texts."
NEEDED = {
    "ab": "one listener must prefer the same folder on at least {wins} of {texts} texts.",
    "abx": "one listener must recognise X on at least {wins} of {texts} texts.",
    "acr": _RATED,
    "mushra": _RATED,
}


def chosen(rows: Sequence[T], trials: int, each: int, rng: Random) -> list[T]:
    """Return the rows of a test of at most `trials` trials, `each` of a row, in their order; at least one row."""
    count = min(len(rows), max(1, trials // each))
    return [rows[at] for at in sorted(rng.sample(range(len(rows)), count))]


def minutes(task: str, trials: int, seconds: float, *, rated: int = 1) -> int:
    """Return the minutes of so many trials with clips of `seconds`; on a MUSHRA screen, `rated` clips and a reference.

    Of AB, ABX and ACR, two, three and one clip get one answer.
    """
    clips = rated + 1 if task == "mushra" else {"ab": 2, "abx": 3, "acr": 1}[task]
    return ceil(trials * (PLAYS[task] * clips * seconds + rated * ANSWERING) / 60)


def least_wins(texts: int) -> int | None:
    """Return how many of `texts` one folder must win for p ≤ .05 by the two-sided exact sign test; None: impossible."""
    wins = range(texts // 2 + 1, texts + 1)
    return next((each for each in wins if binomtest(each, texts).pvalue <= ALPHA), None)


def detectable(task: str, texts: int, pairs_compared: int) -> str:
    """Return a sentence on what one listener's answers on so many texts can show."""
    wins = least_wins(texts)
    if wins is None:
        p = p_value(binomtest(texts, texts).pvalue)
        return f"{texts} texts are too few for a clear result with one listener: the same answer on all has {p}."
    needed = NEEDED[task].format(wins=wins, texts=texts)
    if pairs_compared > 1:
        return f"For p < .05 before adjusting for {pairs_compared} pairs, {needed}"
    return f"For a clear result (p < .05), {needed}"

"""The table of preferences between two clips, and what it counts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from analysis.stats.design import Codes, Design, NotEstimable, coded
from analysis.stats.intervals import Interval, intervals
from analysis.stats.preferences.checks import wins_of
from analysis.stats.twoway import means
from core.text.words import say

OUTCOMES = {"first": 1, "second": -1, "tie": 0}


@dataclass(frozen=True, slots=True)
class Preferences:
    """Answers as columns (n,): `rater` heard the clips of systems `first` and `second`, in this order, of one `text`.

    `outcome` is 1 (first preferred), −1 (second preferred) or 0 (tie). A preference is one row, never two mirrored
    ones. Codes are positions in sorted labels, `systems` the names; `text` is None if unknown.
    """

    rater: Codes
    text: Codes | None
    first: Codes
    second: Codes
    outcome: Codes
    systems: tuple[str, ...]

    @classmethod
    def of(cls, rater: Any, text: Any, first: Any, second: Any, outcome: Any) -> Preferences:
        """Code columns of any sortable labels; outcomes are "first", "second" and "tie".

        Raises NotEstimable without answers, ValueError for columns of unequal length, unknown outcomes, or a system
        compared with itself.
        """
        columns = [np.asarray(column) for column in (rater, first, second, outcome)]
        texts = None if text is None else np.asarray(text)
        count = len(columns[0])
        if any(len(column) != count for column in (*columns, columns[0] if texts is None else texts)):
            raise ValueError("all columns of preferences need the same length")
        if not count:
            raise NotEstimable(say("There are no answers yet."))
        if unknown := set(columns[3].tolist()) - set(OUTCOMES):
            raise ValueError(f"unknown outcomes: {sorted(map(str, unknown))}")
        if (columns[1] == columns[2]).any():
            raise ValueError("a preference needs two different systems")
        labels, codes = coded(np.concatenate(columns[1:3]))
        return cls(
            coded(columns[0])[1],
            None if texts is None else coded(texts)[1],
            codes[:count],
            codes[count:],
            np.array([OUTCOMES[each] for each in columns[3].tolist()], dtype=np.int64),
            tuple(str(label) for label in labels),
        )

    @property
    def has_winner(self) -> Codes:
        """The rows without a tie."""
        return np.flatnonzero(self.outcome)

    @property
    def wins(self) -> Codes:
        """(systems, systems): how often the system of a row was preferred to that of a column."""
        at = self.has_winner
        is_first = self.outcome[at] > 0
        winner = np.where(is_first, self.first[at], self.second[at])
        loser = np.where(is_first, self.second[at], self.first[at])
        return wins_of(winner, loser, len(self.systems))

    @property
    def ties(self) -> Codes:
        """(systems, systems), symmetric: how often two systems tied."""
        at = np.flatnonzero(self.outcome == 0)
        one_way = wins_of(self.first[at], self.second[at], len(self.systems))
        return one_way + one_way.T


@dataclass(frozen=True, slots=True)
class WinShare:
    """How often `first` was preferred to `second`, systems in the order of their codes; ties are counted apart.

    `share` is wins / (wins + losses) with its interval by raters and texts; None without any preference.
    """

    first: int
    second: int
    wins: int
    losses: int
    ties: int
    share: Interval | None


def win_shares(preferences: Preferences, *, level: float = 0.95) -> tuple[WinShare, ...]:
    """Return the shares of all pairs that were compared."""
    wins, ties, size = preferences.wins, preferences.ties, len(preferences.systems)
    at = preferences.has_winner
    first, second = preferences.first[at], preferences.second[at]
    key = np.minimum(first, second) * size + np.maximum(first, second)
    shares: dict[int, Interval] = {}
    if len(at):
        score = ((preferences.outcome[at] > 0) == (first < second)).astype(np.float64)
        text = None if preferences.text is None else preferences.text[at]
        by_pair = intervals(
            means(Design.of(score, preferences.rater[at], key, text=text)), low=0.0, high=1.0, level=level
        )
        shares = {int(code): interval for code, interval in zip(coded(key)[0], by_pair, strict=True)}
    return tuple(
        WinShare(one, two, int(wins[one, two]), int(wins[two, one]), int(ties[one, two]), shares.get(one * size + two))
        for one, two in combinations(range(size), 2)
        if wins[one, two] + wins[two, one] + ties[one, two]
    )

"""The scores under every reasonable choice of exclusion rules (rule D9; Steegen et al. 2016)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from analysis.stats.design import Codes, Floats, Mask

MOST_RULES = 8


@dataclass(frozen=True, slots=True)
class World:
    """The rules applied, the number of ratings of each group (g,), and its mean score (g,), NaN without ratings."""

    rules: tuple[str, ...]
    ratings: Codes
    scores: Floats

    @property
    def order(self) -> tuple[int, ...]:
        """Return the groups from the highest score to the lowest; groups without ratings are left out."""
        rated = np.flatnonzero(self.ratings)
        return tuple(int(group) for group in rated[np.argsort(-self.scores[rated], kind="stable")])


def multiverse(score: Floats, group: Codes, excluded: Mapping[str, Mask]) -> tuple[World, ...]:
    """Return the mean score of each `group` under sets of rules; `excluded` is {rule: mask (n,) of excluded rows}.

    All sets for up to 8 rules (256 worlds, none applied first, all last); with more rules: none, each alone, all but
    one, and all. Scores only: no interval is valid across worlds.
    """
    names = tuple(excluded)
    if len(names) <= MOST_RULES:
        chosen = [rules for size in range(len(names) + 1) for rules in combinations(names, size)]
    else:
        alone = [(name,) for name in names]
        chosen = [(), *alone, *(tuple(other for other in names if other != name) for name in names), names]
    groups = int(group.max()) + 1 if len(group) else 0
    return tuple(_world(score, group, groups, rules, excluded) for rules in chosen)


def _world(score: Floats, group: Codes, groups: int, rules: tuple[str, ...], excluded: Mapping[str, Mask]) -> World:
    is_used = np.ones(len(score), dtype=np.bool_)
    for rule in rules:
        is_used &= ~excluded[rule]
    count = np.bincount(group[is_used], minlength=groups)
    total = np.bincount(group[is_used], score[is_used], minlength=groups)
    return World(rules, count, np.divide(total, count, out=np.full(groups, np.nan), where=count > 0))

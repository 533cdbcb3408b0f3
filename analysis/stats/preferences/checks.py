"""Which comparisons have no strengths: systems never compared, or answers that separate perfectly (rule D14)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from analysis.stats.design import Codes
from analysis.stats.preferences.choices import Choices, separation
from analysis.stats.refusals import SAME, Reason, Refusal
from core.text.words import say

Groups = tuple[tuple[int, ...], ...]

SIDES = Refusal(
    Reason.SEPARATED,
    say(
        "The position of a clip can't be told apart from its system, because the order of clips was not varied enough."
    ),
)
SEPARATED = Refusal(
    Reason.SEPARATED,
    say("The answers separate perfectly: position and ties explain them completely, so nothing is left to chance."),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """A refusal, and the groups of systems it is about: those compared within, or the unbeaten ones first.

    `groups` is empty if the systems are not the cause.
    """

    refusal: Refusal
    groups: Groups = ()


def graph_problem(wins: Codes, ties: Codes, names: tuple[str, ...]) -> Problem | None:
    """Return the problem if groups of systems were never compared; `wins` and `ties` are (systems, systems).

    `wins[a, b]` is how often a was preferred to b.
    """
    if not wins.any():
        return Problem(SAME)
    groups = _groups(wins + ties, is_directed=False)
    if len(groups) == 1:
        return None
    listed = "; ".join(_listed(group, names) for group in groups)
    sentence = say("Systems were compared only within these groups, never between them: {groups}.", groups=listed)
    return Problem(Refusal(Reason.APART, sentence), groups)


def separation_problem(choices: Choices, wins: Codes, names: tuple[str, ...]) -> Problem | None:
    """Return the problem if a model of `choices` has no finite, unique estimate; systems must be connected."""
    margins = choices.margins
    direction = separation(margins)
    if direction is None:
        return None
    if float(np.abs(margins @ direction).max()) < 1e-9:
        return Problem(SIDES)
    groups = _groups(wins, is_directed=True)
    unbeaten = [group for group in groups if not _losses(wins, group)]
    if len(groups) == 1 or not unbeaten:
        return Problem(SEPARATED)
    first = unbeaten[0]
    sentence = say(
        "The answers separate perfectly: none of the other systems was ever preferred to {systems}.",
        systems=_listed(first, names),
    )
    rest = tuple(system for system in range(len(wins)) if system not in first)
    return Problem(Refusal(Reason.SEPARATED, sentence), (first, rest))


def _groups(graph: Codes, *, is_directed: bool) -> Groups:
    number, labels = connected_components(graph, directed=is_directed, connection="strong")
    groups = [tuple(int(system) for system in np.flatnonzero(labels == label)) for label in range(number)]
    return tuple(sorted(groups))


def _losses(wins: Codes, group: tuple[int, ...]) -> int:
    others = np.setdiff1d(np.arange(len(wins)), group)
    return int(wins[others][:, list(group)].sum())


def _listed(group: tuple[int, ...], names: tuple[str, ...]) -> str:
    return ", ".join(names[system] for system in group)


def wins_of(winner: Codes, loser: Codes, systems: int) -> Codes:
    """Return (systems, systems): how often each system (row) won against another (column)."""
    return np.bincount(winner * systems + loser, minlength=systems**2).reshape(systems, systems)

"""Scores under other choices of exclusion rules."""

from __future__ import annotations

from analysis.sections.shared import Record


class Universe(Record):
    """The rules applied, and each system's number of ratings and mean score (in the order of `Multiverse.systems`)."""

    rules: tuple[str, ...]
    ratings: tuple[int, ...]
    scores: tuple[float | None, ...]
    order: tuple[str, ...]


class Multiverse(Record):
    """Scores under every choice of exclusion rules; `same_order` counts universes with the order of all rules."""

    systems: tuple[str, ...]
    rules: tuple[str, ...]
    universes: tuple[Universe, ...]
    same_order: int

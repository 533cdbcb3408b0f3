"""Scores under every choice of exclusion rules."""

from __future__ import annotations

from typing import TypedDict


class Universe(TypedDict):
    """Rules applied, ratings kept and mean score of each system (in the order of `Multiverse.systems`)."""

    rules: list[str]
    ratings: list[int]
    scores: list[float | None]
    order: list[str]


class Multiverse(TypedDict):
    """Scores under every choice of exclusion rules; `same_order` counts universes with the order of all rules."""

    systems: list[str]
    rules: list[str]
    universes: list[Universe]
    same_order: int

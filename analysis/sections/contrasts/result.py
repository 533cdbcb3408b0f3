"""All pairs, and tiers."""

from __future__ import annotations

from typing import TypedDict


class Contrast(TypedDict):
    """`first` − `second`: its own interval, the simultaneous one (`low_all`, `high_all`), p adjusted for all pairs."""

    first: str
    second: str
    difference: float
    error: float
    df: float
    low: float
    high: float
    low_all: float
    high_all: float
    p: float


class Tier(TypedDict):
    """A system's letters (two share one when they don't differ), its mean, and P(rank 1), P(rank 2) …"""

    name: str
    kind: str
    mean: float
    letters: str
    ranks: list[float]


class Contrasts(TypedDict):
    """All pairs of systems by the default variances, and tiers; `left_out` have too few raters or clips.

    `scope` says so where the variances count raters alone.
    """

    pairs: list[Contrast]
    tiers: list[Tier]
    left_out: list[str]
    scope: str
    ranks_from: str

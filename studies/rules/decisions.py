"""The state of an item from experts' decisions (rules E1 and E2)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal

State = Literal["open", "half", "disputed", "done"]
Draws = tuple[float, float]


def standing(outcomes: Sequence[str], wanted: int, settled: str = "") -> tuple[State, str]:
    """Return an item's state and outcome: decided by enough experts who agree, or by the expert who settled it."""
    if settled:
        return "done", settled
    if len(set(outcomes)) > 1:
        return "disputed", ""
    if outcomes and len(outcomes) >= wanted:
        return "done", outcomes[0]
    return ("half" if outcomes else "open"), ""


def draws(queue: str, secret: str, *what: object) -> Draws:
    """Return an item's two numbers in [0, 1): unpredictable without the study's secret."""
    digest = hashlib.sha256("|".join(map(str, (queue, secret, *what))).encode()).digest()
    return int.from_bytes(digest[:6]) / 2**48, int.from_bytes(digest[6:12]) / 2**48

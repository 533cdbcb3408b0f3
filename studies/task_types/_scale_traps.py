"""Traps on a scale: attention checks and golden clips with an expected answer, and others with a usual one."""

from __future__ import annotations

from studies.rules.expected import bounds
from studies.task_types._scales import Scale
from studies.task_types.base import TRAPS

# The part of a row that says whether the expected answer of a trap was given.
CHECK = "check"
# Where a trap has no expected answer: the place on the scale that a human trap reaches, or a flawed one doesn't exceed.
HIGH, LOW = 0.75, 0.25
# Share of expected answers that a careful simulated listener gives.
NOTICED = 0.95


def right(scale: Scale, expected: str) -> list[str]:
    """Return the codes of the answers that a trap with this expected answer wants."""
    low, high = bounds(expected) or (1.0, 0.0)
    return [each.code for each in scale.answers if each.value is not None and low <= each.value <= high]


def usual(scale: Scale, role: str) -> list[str]:
    """Return the codes that pass a trap of this role without an expected answer."""
    width = scale.high - scale.low
    expected = f"{scale.low + HIGH * width:.6f}.." if role == "trap_human" else f"..{scale.low + LOW * width:.6f}"
    return right(scale, expected)


def lucky(scale: Scale) -> dict[str, float]:
    """Return the share of answers that pass a trap of each role without an expected answer."""
    return {role: len(usual(scale, role)) / len(scale.answers) for role in TRAPS}

"""Numbers in sentences."""

from __future__ import annotations


def p_value(p: float) -> str:
    """Return “p = .021”; very small ones as “p < .001”."""
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def percent(share: float) -> str:
    """Return a share as “61 %”."""
    return f"{100 * share:.0f} %"


def counted(number: int, one: str, many: str) -> str:
    """Return “1 pair” or “3 pairs”."""
    return f"{number} {one if number == 1 else many}"

"""Numbers in sentences."""

from __future__ import annotations

from typing import Literal


def p_value(p: float) -> str:
    """Return “p = .021”; very small ones as “p < .001”."""
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def percent(share: float) -> str:
    """Return a share as “61 %”."""
    return f"{100 * share:.0f} %"


def number(value: float, decimals: int, sign: Literal["-", "+"] = "-") -> str:
    """Return a number with a true minus; with `sign` “+”, positive ones have a plus."""
    return f"{value:{sign}.{decimals}f}".replace("-", "−")


def counted(count: int, one: str, many: str) -> str:
    """Return “1 pair” or “3 pairs”."""
    return f"{count} {one if count == 1 else many}"

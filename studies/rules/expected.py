"""The expected answer to an attention check or a golden clip: a point of the scale, or a range."""

from __future__ import annotations

import re
from math import inf

NUMBER = r"-?\d+(?:\.\d+)?"
PATTERN = re.compile(rf"(?P<point>{NUMBER})|(?P<low>{NUMBER})\.\.(?P<high>{NUMBER})?|\.\.(?P<most>{NUMBER})")


def bounds(expected: str) -> tuple[float, float] | None:
    """Return the lowest and the highest right answer of “2”, “4..”, “..2” or “2..4”; None for other text."""
    found = PATTERN.fullmatch(expected)
    if found is None:
        return None
    point, low, high, most = found.group("point", "low", "high", "most")
    lowest, highest = float(point or low or -inf), float(point or high or most or inf)
    return (lowest, highest) if lowest <= highest else None

"""How many tokens a text has, where an endpoint doesn't report it."""

from __future__ import annotations

from studies.rules.text import CJK

# Tokenisers differ: one token a Chinese, Japanese or Korean character, and one for four others, is rather too many.
LETTERS = 4


def estimate(text: str) -> int:
    """Return the estimated number of tokens of a text."""
    cjk = len(CJK.findall(text))
    return cjk + -(-(len(text) - cjk) // LETTERS)

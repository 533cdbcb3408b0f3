"""Which reasons are the same, or nearly: after taking away case, width, spaces and punctuation."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping

from studies.protocols.text import is_cjk

# Of their pieces, two reasons share so much: a number or a name exchanged in a template.
NEARLY = 0.8


def bare(reason: str) -> str:
    """Return the letters and digits of a reason alone."""
    folded = unicodedata.normalize("NFKC", reason).casefold()
    return "".join(letter for letter in folded if letter.isalnum())


def digest(reason: str) -> str:
    """Return 32 hexadecimal digits that are the same for reasons that differ in nothing a reader would mind."""
    return hashlib.sha256(bare(reason).encode()).hexdigest()[:32]


def pieces(reason: str) -> frozenset[str]:
    """Return all runs of four letters or digits, or of two in Chinese, Japanese or Korean text."""
    text, size = bare(reason), 2 if is_cjk(reason) else 4
    return frozenset(text[start : start + size] for start in range(max(1, len(text) - size + 1)))


def near(reasons: Mapping[int, str]) -> set[int]:
    """Return the keys of reasons that share most of their pieces with another one (Jaccard ≥ 0.8).

    Compares all pairs, so it is for one rater's reasons and not for a whole study's.
    """
    cut = [(key, pieces(reason)) for key, reason in reasons.items()]
    found: set[int] = set()
    for index, (key, mine) in enumerate(cut):
        for other, theirs in cut[index + 1 :]:
            if len(mine & theirs) >= NEARLY * len(mine | theirs):
                found |= {key, other}
    return found

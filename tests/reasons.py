"""Texts of which server and page must say the same: how many letters and digits they have, and whether they are CJK."""

from __future__ import annotations

from typing import NamedTuple


class Written(NamedTuple):
    """A text, the number of its characters that hold a letter or digit, and whether these are CJK for the most part."""

    text: str
    count: int
    is_cjk: bool = False


CASES = (
    Written("", 0),
    Written("too long", 7),
    Written("  It's 2 s.\n", 5),
    Written("e\u0301te\u0301 ﬁn", 5),
    Written("ก็", 1),
    Written("停顿太长，不自然。", 7, True),
    Written("ここが長い", 5, True),
    Written("너무 길다", 4, True),
    Written("\u1112\u1161\u11ab\u1100\u1173\u11af", 2, True),
    Written("停 ok then", 7),
    Written("〇〇", 2),
    Written("12½²", 2),
    Written("." * 50, 0),
    Written("…—!?" * 20, 0),
    Written("👍" * 50, 0),
    Written("👩‍👩‍👧 too short 👩‍👩‍👧", 8),
    Written("\u200b" * 50, 0),
    Written("\u202e\u2066\u200f\u2069" * 20, 0),
    Written("n\u200bo\u2060", 2),
    # Fillers of Hangul and the blank of Braille: the first are letters, and nobody sees any of them.
    Written("\u3164" * 50, 0, True),
    Written("\u115f\u1160" * 50, 0, True),
    Written("\u2800" * 50, 0),
)

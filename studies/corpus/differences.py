"""The words that differ between two versions of a text."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

import regex

# A Chinese or Japanese character is a word of its own; spaces are kept.
WORD = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]|[\p{L}\p{M}\p{N}]+|\s+|.", regex.DOTALL)


class Piece(NamedTuple):
    """A stretch of text that both versions have, or only one of them."""

    kind: Literal["same", "deleted", "inserted"]
    text: str


def differences(before: str, after: str) -> Iterator[Piece]:
    """Yield the two texts as one, in order; what was deleted comes before what replaced it."""
    old, new = WORD.findall(before), WORD.findall(after)
    for change, start, stop, new_start, new_stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if change == "equal":
            yield Piece("same", "".join(old[start:stop]))
            continue
        if stop > start:
            yield Piece("deleted", "".join(old[start:stop]))
        if new_stop > new_start:
            yield Piece("inserted", "".join(new[new_start:new_stop]))

"""Addresses made of words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from itertools import count

# A hyphen and a number may be added.
LONGEST = 50


def plain(words: str) -> str:
    """Return the Latin letters and digits of words, with hyphens between them; may be empty."""
    letters = unicodedata.normalize("NFKD", words.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", letters)[:LONGEST].strip("-")


def unused(base: str, taken: Collection[str]) -> str:
    """Return `base`, with a number behind it if it is taken."""
    numbered = (f"{base}-{number}" for number in count(2))
    return base if base not in taken else next(each for each in numbered if each not in taken)

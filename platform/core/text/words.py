"""Sentences of code without Django, stored with their values, so that callers can translate them."""

from __future__ import annotations

from typing import Any


class Translatable(str):
    """A sentence in English, with its pattern and its values."""

    __slots__ = ("pattern", "values")

    pattern: str
    values: dict[str, Any]


def say(pattern: str, **values: Any) -> str:
    """Fill in a sentence: `say("{missing} to go", missing=3)`. Catalogues contain the literals of these calls."""
    sentence = Translatable(pattern.format(**values))
    sentence.pattern, sentence.values = pattern, values
    return sentence

"""Sentences of code without Django, kept with what was filled in: an edge can say them in any language."""

from __future__ import annotations

from typing import Any


class Translatable(str):
    """A sentence in English, with its pattern and the values in it."""

    __slots__ = ("pattern", "values")

    pattern: str
    values: dict[str, Any]


def say(pattern: str, **values: Any) -> str:
    """Fill in a sentence: `say("{missing} to go", missing=3)`. Catalogues take their entries from these calls, too."""
    sentence = Translatable(pattern.format(**values))
    sentence.pattern, sentence.values = pattern, values
    return sentence

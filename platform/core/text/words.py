"""Sentences of code without Django, stored with their values, so that callers can translate them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_collected: ContextVar[dict[str, Translatable] | None] = ContextVar("collected", default=None)


class Translatable(str):
    """A sentence in English, with its pattern and the values in it; a value may be a sentence itself."""

    __slots__ = ("pattern", "values")

    pattern: str
    values: dict[str, Any]

    def __str__(self) -> str:
        """Return the sentence with its pattern, so that `str` of an error keeps it too."""
        return self

    @property
    def as_json(self) -> dict[str, Any]:
        """Return pattern and values, as `restored` reads them."""
        values = {
            name: value.as_json if isinstance(value, Translatable) else str(value)
            for name, value in self.values.items()
        }
        return {"pattern": str.__str__(self.pattern), "values": values}


def say(pattern: str, **values: Any) -> str:
    """Fill in a sentence: `say("{missing} to go", missing=3)`. Catalogues take their entries from these calls, too."""
    sentence = Translatable(pattern.format(**values) if values else pattern)
    sentence.pattern, sentence.values = pattern, values
    collected = _collected.get()
    if collected is not None and values:
        collected[str.__str__(sentence)] = sentence
    return sentence


def joined(*sentences: str) -> str:
    """Join sentences into one paragraph; empty ones are left out."""
    kept = [sentence for sentence in sentences if sentence] or [""]
    if len(kept) == 1:
        return kept[0]
    # In halves: a few hundred sentences, each within the one before, are nested too deeply to be stored.
    half = len(kept) // 2
    return say("{first} {rest}", first=joined(*kept[:half]), rest=joined(*kept[half:]))


def say_list(first: str, *rest: str) -> str:
    """Return items in a row, to be translated later like any sentence of `say`."""
    if not rest:
        return first
    # In halves, as in `joined`.
    items = (first, *rest)
    half = len(items) // 2
    return say("{first}, {rest}", first=say_list(*items[:half]), rest=say_list(*items[half:]))


def restored(stored: dict[str, Any]) -> str:
    """Return a sentence from its `as_json`."""
    values = {name: restored(value) if isinstance(value, dict) else value for name, value in stored["values"].items()}
    return say(stored["pattern"], **values)


@contextmanager
def collecting() -> Iterator[dict[str, Translatable]]:
    """Collect the sentences with values that `say` fills in meanwhile, by their English text.

    A context variable holds them, because results can't: pydantic stores a `Translatable` as a plain string, and
    the statistics that say most of them would all have to pass a collector on.
    """
    found: dict[str, Translatable] = {}
    token = _collected.set(found)
    try:
        yield found
    finally:
        _collected.reset(token)

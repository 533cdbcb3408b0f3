"""The strict leak test: what the server sends of a clip depends only on its duration.

No statistics: one byte more or less, or a stored name with a meaning, is a leak.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from studies.imports.ingest import rates

# As `core.files.storage.opaque` makes them: the kind of file (and its job's number), then 32 random digits.
OPAQUE = re.compile(r"[a-z]+(?:/[0-9]+)?/([0-9a-f]{2})/\1[0-9a-f]{30}")


class StoredRendition(NamedTuple):
    """A clip's rendition as it is stored, with the duration and the sample rate of its original."""

    file: str
    name: str
    size: int
    seconds: float
    rate: int


class StrictLeaks(NamedTuple):
    """Files of clips that break a rule of the test."""

    # Their size doesn't match the duration at any sample rate.
    sizes: tuple[str, ...]
    # Their sample rate differs from the other clips'.
    rates: tuple[str, ...]
    # Their stored name isn't random.
    names: tuple[str, ...]


def strict_leaks(renditions: Iterable[StoredRendition], channels: int, rate: int | None) -> StrictLeaks:
    """Test renditions with this number of channels; no file is opened.

    The expected rate is the study's `rate`, or the most common one if `rate` is None or no clip has it.
    """
    sizes: list[str] = []
    names: list[str] = []
    by_rate: list[tuple[str, int]] = []
    likely = rate
    for each in renditions:
        found = _rate_of(each, channels, likely)
        if found is None:
            sizes.append(each.file)
        else:
            by_rate.append((each.file, found))
            likely = found
        if OPAQUE.fullmatch(each.name) is None:
            names.append(each.file)
    counts = Counter(each_rate for _file, each_rate in by_rate)
    # Of two equally common rates, the higher one is expected.
    right = rate if rate in counts else max(counts, key=lambda common: (counts[common], common), default=None)
    others = tuple(file for file, each_rate in by_rate if each_rate != right)
    return StrictLeaks(tuple(sizes), others, tuple(names))


def _rate_of(rendition: StoredRendition, channels: int, likely: int | None) -> int | None:
    """Return the sample rate that matches the number of bytes; `likely` is tried first."""
    _file, _name, size, seconds, rate = rendition
    if likely is not None and rates.size(seconds, rate, channels, likely) == size:
        return likely
    return rates.rate_of(seconds, rate, channels, size)

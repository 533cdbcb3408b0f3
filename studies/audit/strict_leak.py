"""The strict leak test: what the server sends of a clip depends on nothing but its duration.

No statistics: one byte more or less, or a stored name that means something, is a leak.
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
    """Files of clips that break a rule of the test, each in the order they came in."""

    # Another number of bytes than the duration gives at any sample rate.
    sizes: tuple[str, ...]
    # Another sample rate than the other clips.
    rates: tuple[str, ...]
    # A stored name that isn't random.
    names: tuple[str, ...]


def strict_leaks(renditions: Iterable[StoredRendition], channels: int, rate: int | None) -> StrictLeaks:
    """Test renditions of so many channels; no file is opened.

    Right is the study's `rate`, or that of most clips if `rate` is None or none of them has it.
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
    # Where two rates are as common, the higher one is right.
    right = rate if rate in counts else max(counts, key=lambda common: (counts[common], common), default=None)
    others = tuple(file for file, each_rate in by_rate if each_rate != right)
    return StrictLeaks(tuple(sizes), others, tuple(names))


def _rate_of(rendition: StoredRendition, channels: int, likely: int | None) -> int | None:
    """Return the sample rate that the number of bytes tells; the `likely` one is tried first."""
    _file, _name, size, seconds, rate = rendition
    if likely is not None and rates.size(seconds, rate, channels, likely) == size:
        return likely
    return rates.rate_of(seconds, rate, channels, size)

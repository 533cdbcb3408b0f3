"""The sample rate of renditions, where a study leaves it to its clips: the highest among them, at most 48 kHz."""

from __future__ import annotations

from collections.abc import Iterable

from studies.imports.ingest import wav
from studies.rules.durations import STEPS

# 50 divides each of them, since renditions end on a step of 1/50 s.
RATES = (8_000, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)


def enough(rate: int) -> int:
    """Return the lowest rate that holds what a recording at `rate` holds, or the highest there is."""
    return next((each for each in RATES if each >= rate), RATES[-1])


def highest(rates: Iterable[int]) -> int:
    """Return the rate for recordings of these rates together."""
    return enough(max(rates))


def size(seconds: float, rate: int, channels: int, wanted: int) -> int:
    """Return the bytes of a rendition at the rate `wanted` of a recording at `rate`."""
    frames = -(-round(seconds * rate) * wanted // rate)
    return wav.HEADER + 2 * channels * (frames + -frames % (wanted // STEPS))


def rate_of(seconds: float, rate: int, channels: int, rendition_bytes: int) -> int | None:
    """Return the rate of a rendition of so many bytes; None if it was made by another rule."""
    return next((each for each in RATES if size(seconds, rate, channels, each) == rendition_bytes), None)

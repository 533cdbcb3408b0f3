"""Find what names a clip of a screen of several clips: no statistics, one byte or field that differs is a leak.

What the sound itself tells once it is decoded, its length and its likeness to another clip, is not looked for.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from scipy import stats

from tests.raters.decoded import wav_chunks
from tests.raters.exchanges import Exchange, Found, Leak, Log, grouped

HEAD, FILLER_HEAD = 44, 8
# Bytes in a row that two clips never share by chance, once each has dither of its own.
WINDOW = 512
# How rarely chance alone may put a system on one side so often.
RARE = 1e-5
# The only fields in which the clips of a screen may differ: random names.
NAMES = {"key", "url"}


def audio(log: Log, *, whole: bool = False) -> Iterator[Exchange]:
    """Yield what was sent for clips that stand beside others."""
    for exchange in log.dynamic:
        is_whole = exchange.status == 200 and exchange.method == "GET"
        if exchange.screen and exchange.is_audio and (is_whole or not whole):
            yield exchange


def fields(log: Log) -> Found:
    """Find fields of clips that some clips of a screen have and others lack, or that differ between them."""
    for exchange in log.dynamic:
        content = exchange.json or {}
        progress = content.get("progress", content)
        for name, clips in (("clips", progress.get("trial", {}).get("clips", ())), ("next", progress.get("next", ()))):
            for field in sorted({field for clip in clips for field in clip} - NAMES) if len(clips) > 1 else ():
                if len({repr(clip.get(field)) for clip in clips}) > 1:
                    yield Leak("screen field", exchange.where, f"{name}: {field} differs from clip to clip")


def headers(log: Log) -> Found:
    """Find headers by which the clips of a screen differ."""

    def key(exchange: Exchange) -> Any:
        return (exchange.screen, exchange.method, exchange.status, exchange.header("Content-Range"))

    for _group, exchanges in grouped(audio(log), key):
        sent = {tuple(exchange.headers) for exchange in exchanges}
        odd = {name for head in sent for name, value in head if any((name, value) not in other for other in sent)}
        if odd:
            yield Leak("screen header", exchanges[0].where, f"clips of one screen differ in {', '.join(sorted(odd))}")


def lengths(log: Log) -> Found:
    """Find screens whose clips are sent as other numbers of bytes than the longest clip's length predicts."""
    longest: dict[str, int] = defaultdict(int)
    for exchange in audio(log, whole=True):
        longest[exchange.screen] = max(longest[exchange.screen], sound_bytes(exchange.body))
    totals: dict[str, set[int]] = defaultdict(set)
    for exchange in audio(log):
        told = exchange.header("Content-Range").rpartition("/")[2] or exchange.header("Content-Length")
        totals[exchange.screen].add(int(told))
        if exchange.status == 200 and exchange.method == "GET":
            totals[exchange.screen].add(len(exchange.body))
    for screen, sizes in totals.items():
        if sizes != {HEAD + longest[screen] + FILLER_HEAD}:
            yield Leak("screen length", "audio", f"clips of one screen are sent as {sorted(sizes)} bytes")


def files(log: Log) -> Found:
    """Find files of other parts than a format, samples and an empty filler, and parts that differ from their whole."""
    bodies = {exchange.key: exchange.body for exchange in audio(log, whole=True)}
    for exchange in audio(log, whole=True):
        chunks = wav_chunks(exchange.body)
        if chunks != ["RIFF", "fmt ", "data", "JUNK"]:
            yield Leak("screen file", exchange.where, f"chunks {chunks}")
        if any(exchange.body[HEAD + sound_bytes(exchange.body) + FILLER_HEAD :]):
            yield Leak("screen file", exchange.where, "the filler isn't empty")
    for exchange in audio(log):
        if exchange.status != 206 or exchange.method != "GET" or exchange.key not in bodies:
            continue
        start = int(exchange.header("Content-Range").removeprefix("bytes ").partition("-")[0])
        if bodies[exchange.key][start : start + len(exchange.body)] != exchange.body:
            yield Leak("screen file", exchange.where, "a part of a clip differs from the whole")


def repeats(log: Log) -> Found:
    """Find bytes of sound that come again in another clip: the same recording, sent twice."""
    known: dict[bytes, str] = {}
    found: set[str] = set()
    for exchange in audio(log, whole=True):
        sound = exchange.body[HEAD : HEAD + sound_bytes(exchange.body)]
        for start in range(0, len(sound) - WINDOW + 1, WINDOW):
            window = sound[start : start + WINDOW]
            if known.setdefault(window, exchange.key) != exchange.key:
                found.add(exchange.key)
    if found:
        yield Leak("screen repeat", "audio", f"{len(found)} clips repeat {WINDOW} bytes or more of another clip")


def sides(log: Log) -> Found:
    """Find systems that are the first of two clips more, or less, often than by chance: a sign test."""
    truths = {exchange.key: exchange.now for exchange in audio(log) if exchange.now}
    trials: dict[str, tuple[str, ...]] = {}
    for exchange in log.dynamic:
        content = exchange.json or {}
        trial = content.get("progress", content).get("trial", {})
        if len(trial.get("clips", ())) == 2:
            trials[trial["token"]] = tuple(clip["key"] for clip in trial["clips"])
    places: dict[str, list[int]] = defaultdict(list)
    for keys in trials.values():
        names = [truths[key].system for key in keys if key in truths]
        if len(set(names)) == 2:
            for place, name in enumerate(names):
                places[name].append(place)
    for name, seen in places.items():
        p = stats.binomtest(seen.count(0), len(seen)).pvalue
        if p < RARE:
            yield Leak(
                "side", "trials", f"system {name} is first in {seen.count(0)} of {len(seen)} pairs (p = {p:.0e})"
            )


def copies(log: Log) -> Found:
    """Find values of trials that say which of two clips a third one, heard first, is a copy of, or of pairs that say
    that they are one clip twice.

    Such a value comes again in other trials, but never where the copy is the other one, or none.
    """
    truths = {exchange.key: exchange.now for exchange in audio(log) if exchange.now}
    trials: dict[str, tuple[bool, dict[str, Any]]] = {}
    for exchange in log.dynamic:
        content = exchange.json or {}
        trial = content.get("progress", content).get("trial", {})
        heard = [truths[clip["key"]].clip for clip in trial.get("clips", ()) if clip["key"] in truths]
        if len(heard) == 2 or (len(heard) == 3 and heard[0] in heard[1:]):
            _is_first, values_of_trial = trials.setdefault(trial["token"], (heard[0] == heard[1], {}))
            values_of_trial |= {name: value for name, value in trial.items() if name != "clips"}
    values: dict[str, dict[bool, set[str]]] = defaultdict(lambda: defaultdict(set))
    for is_first, values_of_trial in trials.values():
        for name, value in values_of_trial.items():
            values[name][is_first].add(repr(value))
    for name, by_copy in values.items():
        is_telling = bool(by_copy[True] and by_copy[False]) and by_copy[True].isdisjoint(by_copy[False])
        if is_telling and sum(map(len, by_copy.values())) < len(trials):
            yield Leak("copy", "trials", f"{name} says which clip the first one is a copy of")


def sound_bytes(body: bytes) -> int:
    """Return how many bytes of samples a WAV file says that it has."""
    return int(struct.unpack("<L", body[40:HEAD])[0])

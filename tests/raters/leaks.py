"""Find what a rater is sent beyond what a rater may know. Nothing here knows the product, only what it sent.

Three kinds of checks: words (nothing secret in any encoding), sameness (what must not differ does not), and chance
(what may differ goes with a clip's role or system no more often than by chance).
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from tests.raters import screen_leaks as screens
from tests.raters.decoded import found_in, json_leaves, wav_chunks
from tests.raters.exchanges import Exchange, Found, Leak, Log, grouped
from tests.raters.patterns import chance

# What a response may carry. A header that isn't here is a leak until somebody has thought about it.
HEADERS = {
    "Accept-Ranges", "Allow", "Cache-Control", "Content-Language", "Content-Length", "Content-Range",
    "Content-Security-Policy", "Content-Type", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy", "Expires",
    "Location", "Permissions-Policy", "Referrer-Policy", "Retry-After", "Vary", "WWW-Authenticate",
    "X-Content-Type-Options", "X-Frame-Options",
}  # fmt: skip
TIMED = {"Expires", "Date"}
# So many letters in a row are never shared by two random tokens.
WINDOW = 6
NAME = re.compile(r"[A-Za-z0-9_-]{6,}")


def check(log: Log) -> list[Leak]:
    """Return every leak, once for each place."""
    checks: list[Callable[[Log], Found]] = [
        words, headers, header_sets, skeletons, lengths, leftovers, precision, wav_files, twins, fingerprints, chance,
        screens.fields, screens.headers, screens.lengths, screens.files, screens.repeats, screens.sides, screens.copies,
    ]  # fmt: skip
    return list(dict.fromkeys(leak for each in checks for leak in each(log)))


def words(log: Log) -> Found:
    """Find secret words in any part of a response, in any encoding."""
    for exchange in log.exchanges:
        head = [exchange.phrase, *(f"{name}: {value}" for name, value in exchange.headers), *exchange.cookies]
        parts = {"status line, header or cookie": "\n".join(head).encode(), "body": exchange.body}
        for part, content in parts.items():
            for word in found_in(content, tuple(log.secrets)):
                if word not in exchange.allowed:
                    yield Leak("word", exchange.where, f"{log.secrets[word]} {word!r} in the {part}")


def headers(log: Log) -> Found:
    """Find headers that nobody has allowed, such as ETag, Last-Modified, Content-Disposition or X-Sendfile."""
    for exchange in log.dynamic:
        for name, value in exchange.headers:
            if name not in HEADERS:
                yield Leak("header", exchange.where, f"{name}: {value}" if len(value) < 60 else name)


def header_sets(log: Log) -> Found:
    """Find headers that some trials have and others lack."""
    for group, exchanges in grouped(log.dynamic, lambda each: each.group if each.now or each.past else None):
        sets = {frozenset(name for name, _value in each.headers) for each in exchanges}
        odd = frozenset.union(*sets) - frozenset.intersection(*sets)
        if odd:
            yield Leak("header set", " ".join(map(str, group)), f"only sometimes: {', '.join(sorted(odd))}")


def skeletons(log: Log) -> Found:
    """Find tags, classes, ids or attributes that some trials' pages have and others lack."""
    for group, exchanges in grouped(log.dynamic, lambda each: each.group if each.now and each.page else None):
        pages = [Counter(each.page.elements) for each in exchanges if each.page]
        for tag in sorted({tag for page in pages for tag in page if len({other[tag] for other in pages}) > 1}):
            yield Leak("page structure", " ".join(map(str, group)), tag)


def lengths(log: Log) -> Found:
    """Find audio whose length in bytes depends on more than its duration."""
    by_seconds: dict[float, set[int]] = defaultdict(set)
    for exchange in log.dynamic:
        if exchange.now is None or exchange.screen or not exchange.route.endswith(":audio"):
            continue
        total = exchange.header("Content-Range").rpartition("/")[2]
        if exchange.status in {206, 416}:
            by_seconds[exchange.now.seconds].add(int(total))
        elif exchange.status == 200:
            by_seconds[exchange.now.seconds].add(int(exchange.header("Content-Length") or -1))
            if exchange.method == "GET":
                by_seconds[exchange.now.seconds].add(len(exchange.body))
    for seconds, sizes in by_seconds.items():
        if len(sizes) > 1:
            yield Leak("audio length", "audio", f"{seconds} s are sent as {sorted(sizes)} bytes")


def leftovers(log: Log) -> Found:
    """Find pages and JSON whose length isn't explained by their numbers, the next clip and the ranges to fetch."""

    def key(exchange: Exchange) -> Any:
        content = exchange.json if exchange.now or exchange.past else None
        if content is None:
            return None
        progress = content.get("progress", content)
        said = json.dumps([content.get("error"), content.get("problems")])
        ranges = tuple(len(each) for each in content.get("missing", {}).values())
        return (*exchange.group, said, progress.get("state"), len(progress.get("next", ())), ranges)

    for group, exchanges in grouped(log.dynamic, key):
        rest = {len(each.body) - sum(len(json.dumps(leaf)) for leaf in numbers(each.json)) for each in exchanges}
        if len(rest) > 1:
            yield Leak("length", " ".join(map(str, group)), f"{sorted(rest)} bytes without the numbers")


def numbers(content: Any) -> Iterator[float | None]:
    for _path, leaf in json_leaves(content):
        if leaf is None or (isinstance(leaf, int | float) and not isinstance(leaf, bool)):
            yield leaf


def precision(log: Log) -> Found:
    """Find lengths so exact that they tell the sample rate of the original: in numbers, and in samples."""
    for exchange in log.dynamic:
        for path, leaf in json_leaves(exchange.json):
            if isinstance(leaf, float) and leaf != round(leaf, 2):
                yield Leak("precision", exchange.where, f"JSON {path} is told to more than 0.01")
        if exchange.is_audio and not exchange.screen and exchange.status == 200 and len(exchange.body) > 44:
            rate = int.from_bytes(exchange.body[24:28], "little")
            if (len(exchange.body) - 44) // 2 % (rate // 50):
                yield Leak("precision", exchange.where, "audio doesn't end on a step of 20 ms")


def wav_files(log: Log) -> Found:
    """Find audio that holds anything but a format and samples, or whose header tells clips apart."""
    heads: dict[float, set[bytes]] = defaultdict(set)
    for exchange in log.dynamic:
        if not (exchange.is_audio and exchange.now and exchange.status == 200 and exchange.method == "GET"):
            continue
        if exchange.screen:
            continue
        heads[exchange.now.seconds].add(exchange.body[:44])
        chunks = wav_chunks(exchange.body)
        if chunks != ["RIFF", "fmt ", "data"]:
            yield Leak("audio file", exchange.where, f"chunks {chunks}")
    for seconds, different in heads.items():
        if len(different) > 1:
            yield Leak("audio file", "audio", f"{len(different)} different headers for {seconds} s")


def twins(log: Log) -> Found:
    """Find refusals that tell what exists from what doesn't."""
    for name, exchanges in grouped(log.dynamic, lambda each: each.twin or None):
        shown = {
            (each.status, each.phrase, each.body, tuple(pair for pair in each.headers if pair[0] not in TIMED))
            for each in exchanges
        }
        if len(shown) > 1:
            yield Leak("twins", name, f"{len(shown)} different answers")


def fingerprints(log: Log) -> Found:
    """Find strings that name one clip for two raters, whole or in part."""
    raters: dict[str, set[str]] = defaultdict(set)
    clips: dict[str, set[int]] = defaultdict(set)
    for exchange in log.dynamic:
        if exchange.now is None or exchange.past is not None:
            continue
        about = (exchange.url, *(str(value) for name, value in exchange.headers if name not in TIMED))
        for text in {*about, *exchange.cookies, *strings(exchange.json)}:
            for name in NAME.findall(text):
                for start in range(len(name) - WINDOW + 1):
                    window = name[start : start + WINDOW]
                    raters[window].add(exchange.rater)
                    clips[window].add(exchange.now.clip)
    telling = [window for window, known in clips.items() if len(known) == 1 and len(raters[window]) > 1]
    if telling:
        yield Leak("fingerprint", "tokens, addresses and headers", f"{len(telling)} pieces, such as {telling[0]!r}")


def strings(content: Any) -> Iterator[str]:
    """Yield strings and large numbers: what could be a name."""
    for path, leaf in json_leaves(content):
        # What is loaded ahead belongs to another clip.
        if "next" not in path and (isinstance(leaf, str) or (isinstance(leaf, int) and abs(leaf) > 10**WINDOW)):
            yield str(leaf)

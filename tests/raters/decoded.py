"""Read what was sent in every way a curious rater could: pages, JSON, audio, and text in any usual encoding."""

from __future__ import annotations

import base64
import binascii
import html
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from html.parser import HTMLParser
from typing import Any

BASE64 = re.compile(r"[A-Za-z0-9+/_-]{12,}")
HEX = re.compile(r"(?:[0-9a-fA-F]{2}){6,}")
CODED = re.compile(r"%([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})")
DEEPEST = 2


@dataclass
class Page:
    """A page as the browser's inspector shows it."""

    elements: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    json: str = ""


class Reader(HTMLParser):
    """Takes a page apart."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page()
        self.is_json = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        # A form's secret against forgery is another one in every page.
        shown = {**given, "value": "…"} if given.get("name") == "csrfmiddlewaretoken" else given
        self.page.elements.append(" ".join([tag, *(f"{name}={value}" for name, value in sorted(shown.items()))]))
        self.is_json = tag == "script" and given.get("type") == "application/json"
        addresses = (given.get(name) or "" for name in ("src", "href", "data-module"))
        self.page.files += [address for address in addresses if address.startswith("/static/")]

    def handle_endtag(self, tag: str) -> None:
        self.is_json = False

    def handle_data(self, data: str) -> None:
        if self.is_json:
            self.page.json += data
        elif data.strip():
            self.page.texts.append(data.strip())


@lru_cache(maxsize=4096)
def page_of(body: bytes) -> Page:
    """Take an HTML page apart."""
    reader = Reader()
    reader.feed(body.decode())
    return reader.page


def json_leaves(content: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, value) of every leaf; lists share one path, since their order is chance."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield from json_leaves(value, f"{path}.{key}")
    elif isinstance(content, list):
        for value in content:
            yield from json_leaves(value, f"{path}[]")
    elif content is not None or path:
        yield path, content


def wav_chunks(body: bytes) -> list[str]:
    """Return the names of a WAV file's chunks; what follows the last one counts as a chunk without a name."""
    names = [body[:4].decode("latin-1")]
    end = 8 + struct.unpack("<L", body[4:8])[0] if len(body) >= 8 else 0
    at = 12
    while at + 8 <= min(end, len(body)):
        names.append(body[at : at + 4].decode("latin-1"))
        size = struct.unpack("<L", body[at + 4 : at + 8])[0]
        at += 8 + size + size % 2
    return names if at == len(body) == end else [*names, "?"]


@lru_cache(maxsize=8192)
def found_in(content: bytes, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words that occur in any form of `content`, whatever their case."""
    texts = [text.lower() for text in forms(content)]
    return tuple(word for word in words if any(word.lower() in text for text in texts))


def forms(content: bytes) -> set[str]:
    """Return `content` as text and decoded from HTML, JSON, percent, base64, hexadecimal and UTF-16, twice over."""
    texts = {content.decode("latin-1"), content.decode("utf-8", "replace")}
    fresh = texts
    for _ in range(DEEPEST):
        fresh = {form for text in fresh for form in decoded(text)} - texts
        texts = texts | fresh
    return texts


def decoded(text: str) -> Iterator[str]:
    """Yield the readings of `text` one encoding down."""
    if "&" in text:
        yield html.unescape(text)
    yield CODED.sub(lambda match: chr(int(match[1] or match[2], 16)), text)
    yield text.replace("\0", "")
    hidden: list[bytes] = [bytes.fromhex(match[0]) for match in HEX.finditer(text)]
    for match in BASE64.finditer(text):
        run = match[0].replace("-", "+").replace("_", "/")
        # A path or a word may stand before the encoded part, so every alignment is tried.
        for start in range(4):
            whole = run[start : start + (len(run) - start) // 4 * 4]
            hidden += unpacked(whole), unpacked(run[start:] + "=" * (-len(run[start:]) % 4))
    if hidden:
        yield b"\n".join(hidden).decode("latin-1")


def unpacked(run: str) -> bytes:
    """Decode base64, and inflate what was deflated before."""
    try:
        content = base64.b64decode(run)
    except binascii.Error:
        return b""
    if len(content) < 2 or content[0] & 15 != 8 or int.from_bytes(content[:2], "big") % 31:
        # Not how anything deflated begins.
        return content
    try:
        return content + b"\n" + zlib.decompress(content)
    except zlib.error:
        return content

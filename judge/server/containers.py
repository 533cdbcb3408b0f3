"""Lengths declared by audio containers, which decoders don't check."""

from __future__ import annotations

import struct

from judge.problems import ClipRefusal
from judge.schemas import Caution

FORMATS = frozenset({"WAV", "WAVEX", "RF64", "AIFF", "FLAC", "OGG", "MP3", "MPEG"})
OPEN = 0xFFFFFFFF
LAST_PAGE = 0x04
# An MP3's first frame starts within these bytes, unless a large picture precedes it.
MP3_TAGS = 1 << 18


def cautions(content: bytes) -> list[Caution]:
    """Return warnings on a file's declared lengths; raises `ClipRefusal` if it is cut off."""
    if content.startswith(b"RIFF") and content[8:12] == b"WAVE":
        return _riff(content)
    if content.startswith(b"OggS") and not content[content.rfind(b"OggS") + 5] & LAST_PAGE:
        raise ClipRefusal("corrupt", "The file is cut off: its last Ogg page isn't marked as the end.")
    return []


def declares_length(content: bytes, form: str) -> bool:
    """True if the file declares its number of samples; MP3 does so only in a tag in its first frame."""
    return form not in {"MP3", "MPEG"} or any(tag in content[:MP3_TAGS] for tag in (b"Xing", b"Info"))


def _riff(content: bytes) -> list[Caution]:
    offset, oddities = 12, list[Caution]()
    while offset + 8 <= len(content):
        kind, size = struct.unpack_from("<4sL", content, offset)
        present = len(content) - offset - 8
        if kind == b"data" and size in {0, OPEN} and present:
            return ["length_unknown"]
        if kind == b"data" and size > present:
            raise ClipRefusal(
                "corrupt", f"The file is cut off: {size:,} bytes of sound are declared, {present:,} are there."
            )
        if size > present or not kind.isascii() or not kind.decode().isprintable():
            return ["trailing_bytes"]
        offset += 8 + size + size % 2
    if len(content) - offset > 1:
        oddities.append("trailing_bytes")
    return oddities

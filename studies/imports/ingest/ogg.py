"""Check an Ogg file page by page (RFC 3533): decoders skip damaged pages and stop at a second stream silently."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from studies.imports.ingest.problems import InvalidInput

HEADER = 27
FIRST, LAST = 0x02, 0x04
# A page on which no packet ends has no position.
NO_POSITION = -1
MIRRORED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
OPUS_RATE = 48_000


@dataclass(frozen=True, slots=True)
class _Page:
    flags: int
    position: int
    stream: int
    number: int
    body: bytes


def check_ogg(file: IO[bytes], length: int) -> float | None:
    """Return the seconds that the last page declares, None where its codec isn't known here; raises `InvalidInput`.

    Every page must be whole and undamaged, none may be missing, and all belong to one stream that ends where the file
    does.
    """
    content = file.read(length)
    first = last = None
    for page in _pages(content):
        if first is None:
            first = page
            if not page.flags & FIRST:
                raise InvalidInput("The file is cut off: its first Ogg pages are missing. Send it again.")
        elif page.stream != first.stream or page.flags & FIRST:
            raise InvalidInput(
                "The file holds several Ogg streams, and only the first would be heard. Export it as one."
            )
        elif last is not None and page.number != last.number + 1:
            raise InvalidInput(
                f"The file is cut off: after Ogg page {last.number + 1:,}, pages are missing. Send it again."
            )
        last = page
    if first is None or last is None or not last.flags & LAST:
        raise InvalidInput("The file is cut off: its last Ogg page isn't marked as the end. Send it again.")
    return _seconds(first.body, last.position)


def _pages(content: bytes) -> Iterator[_Page]:
    offset, is_last = 0, False
    while offset < len(content):
        if not content.startswith(b"OggS", offset):
            if is_last and not content[offset:].strip(b"\x00"):
                return
            where = "after its end" if is_last else "between its pages"
            raise InvalidInput(f"The Ogg file is damaged or cut off: there is other data {where}. Export it again.")
        head = content[offset : offset + HEADER]
        table = content[offset + HEADER : offset + HEADER + head[26]] if len(head) == HEADER else b""
        begin = offset + HEADER + len(table)
        end = begin + sum(table)
        if len(head) < HEADER or len(table) < head[26] or end > len(content):
            raise InvalidInput("The file is cut off in the middle of an Ogg page. Send it again.")
        flags, position, stream, number, declared = struct.unpack_from("<xBqLLL", head, 4)
        body = content[begin:end]
        if _sum(head[:22] + bytes(4) + head[26:] + table + body) != declared:
            raise InvalidInput(
                f"The Ogg file is damaged: page {number + 1:,} doesn't match its checksum. Send it again."
            )
        yield _Page(flags, position, stream, number, body)
        offset, is_last = end, bool(flags & LAST)


def _sum(page: bytes) -> int:
    """Return the page's CRC-32, which goes through the bits in the other direction than zlib's and inverts nothing."""
    mirrored = zlib.crc32(page.translate(MIRRORED), 0xFFFFFFFF) ^ 0xFFFFFFFF
    return int.from_bytes(mirrored.to_bytes(4, "little").translate(MIRRORED), "big")


def _seconds(head: bytes, position: int) -> float | None:
    """Return what a position at the end means (RFC 7845, section 4; Vorbis I, section 4.2.2 and appendix A)."""
    if position == NO_POSITION:
        return None
    if head.startswith(b"OpusHead") and len(head) >= 12:
        (skipped,) = struct.unpack_from("<H", head, 10)
        return float((position - skipped) / OPUS_RATE)
    if head.startswith(b"\x01vorbis") and len(head) >= 16:
        (rate,) = struct.unpack_from("<L", head, 12)
        return float(position / rate) if rate else None
    return None

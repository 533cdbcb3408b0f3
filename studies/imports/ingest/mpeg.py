"""Check an MP3 file frame by frame: nothing else shows that it is truncated or joined from several files."""

from __future__ import annotations

import struct
from typing import IO

from studies.imports.ingest.problems import InvalidInput

# kbit/s by (version is 1, layer), index 1 to 14; ISO/IEC 11172-3 and 13818-3, table of bit rates.
BIT_RATES = {
    (True, 1): (32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (True, 2): (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (True, 3): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (False, 1): (32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (False, 2): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (False, 3): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}
# Where a header that declares the number of frames must stand.
MARKED = 1500
GLUED = "The file holds several MP3 recordings, and only the first would be heard. Export it as one."
TAGS = (b"TAG", b"APETAGEX", b"LYRICSBEGIN", b"ID3")


def check_mpeg(file: IO[bytes], length: int) -> float:
    """Return the duration of the frames in seconds; raise `InvalidInput` unless whole frames of one rate fill the file.

    Raters would not hear a second file behind the first; its tag or its own count of frames reveals it.
    """
    content = file.read(length)
    offset = _after_tag(content)
    if _frame(content, offset) is None:
        raise InvalidInput("The file starts like an MP3 file, but contains no MP3 audio.")
    declared = _declared(content[offset : offset + MARKED])
    count, samples, rates = 0, 0, set()
    while offset < length and not content.startswith(TAGS, offset):
        if not content[offset:].strip(b"\x00"):
            break
        if count and _declared(content[offset : offset + MARKED]):
            raise InvalidInput(GLUED)
        frame = _frame(content, offset)
        if frame is None:
            raise InvalidInput(f"The MP3 file is damaged after {count:,} frames. Export it again.")
        size, rate, each = frame
        offset += size
        samples += each
        if offset > length:
            raise InvalidInput(f"The file is cut off in the middle of MP3 frame {count + 1:,}. Send it again.")
        rates.add(rate)
        count += 1
    if len(rates) > 1:
        raise InvalidInput("The sample rate changes within the MP3 file. Export it again.")
    # The frame that declares the number is silent and not counted in it.
    if declared and count < declared:
        raise InvalidInput(
            f"The file is cut off: its header declares {declared:,} MP3 frames and contains {count - 1:,}."
        )
    if declared and count > declared + 2:
        raise InvalidInput(f"The MP3 header declares {declared:,} frames and contains {count - 1:,}. Export it again.")
    if _frame(content, _after_tag(content, offset)) is not None:
        raise InvalidInput(GLUED)
    return (samples - (each if declared else 0)) / rate


def _after_tag(content: bytes, offset: int = 0) -> int:
    """Return the start of audio at or after `offset`, behind an ID3v2 tag (its size is written in 7-bit bytes)."""
    while content.startswith(b"ID3", offset) and len(content) >= offset + 10:
        a, b, c, d = content[offset + 6 : offset + 10]
        offset += 10 + (a << 21 | b << 14 | c << 7 | d) + (10 if content[offset + 5] & 0x10 else 0)
    # Encoders pad tags with zeros that the tag doesn't count.
    while content.startswith(b"\x00", offset):
        offset += 1
    return offset


def _frame(content: bytes, offset: int) -> tuple[int, int, int] | None:
    """Return (bytes, sample rate, samples) of the frame at `offset`, or None where no frame is."""
    if offset + 4 > len(content):
        return None
    (head,) = struct.unpack_from(">L", content, offset)
    version, layer = head >> 19 & 3, 4 - (head >> 17 & 3)
    bit_index, rate_index, padding = head >> 12 & 15, head >> 10 & 3, head >> 9 & 1
    if head >> 21 != 0x7FF or version == 1 or layer == 4 or bit_index in {0, 15} or rate_index == 3:
        return None
    rate = RATES[version][rate_index]
    bits = BIT_RATES[version == 3, layer][bit_index - 1] * 1000
    if layer == 1:
        return (12 * bits // rate + padding) * 4, rate, 384
    samples = 576 if layer == 3 and version != 3 else 1152
    return samples // 8 * bits // rate + padding, rate, samples


def _declared(first: bytes) -> int:
    """Return the number of frames that a Xing or Info header declares; 0 without one."""
    for mark in (b"Xing", b"Info"):
        at = first.find(mark)
        if 0 < at < 200 and len(first) >= at + 12:
            flags, frames = struct.unpack_from(">LL", first, at + 4)
            return int(frames) if flags & 1 else 0
    return 0

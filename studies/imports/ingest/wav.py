"""The one header that every rendition begins with."""

from __future__ import annotations

import struct

HEADER = 44


def header(size: int, rate: int, channels: int) -> bytes:
    """Return the canonical 44 bytes before `size` bytes of 16-bit PCM samples; `size` must not be negative."""
    if size < 0:
        return b""
    riff = struct.pack("<4sL4s", b"RIFF", HEADER - 8 + size, b"WAVE")
    form = struct.pack("<4sLHHLLHH", b"fmt ", 16, 1, channels, rate, rate * channels * 2, channels * 2, 16)
    return riff + form + struct.pack("<4sL", b"data", size)

"""Clips of a screen with several clips, as sent: with fresh dither, and padded to the same size.

Otherwise equal bytes would reveal the hidden reference, which is played twice, and sizes would identify clips. All
clips of studies with repeated trials are sent so, too, because equal bytes would reveal a repeat. The stored rendition
is unchanged; the sent bytes are the same for every request and range.
"""

from __future__ import annotations

import hashlib
import io
import struct
from collections.abc import Iterable, Sequence
from typing import IO, Any

import numpy as np
from django.utils.crypto import salted_hmac

from studies.definition import facts
from studies.imports.ingest.wav import HEADER

# Size of the header of the filler chunk, which players skip.
FILLER_HEAD = 8
# Samples dithered together, and bytes per sample.
BLOCK, WIDTH = 1 << 15, 2
LOWEST, HIGHEST = -(1 << 15), (1 << 15) - 1
# Effect of triangular dither of two steps on an integer sample, by random byte: one step down for 1/8 of the bytes, up
# for 1/8.
STEPS = np.repeat(np.array([-1, 1, 0], np.int32), [32, 32, 192])


def sent_size(size: int, sizes: Sequence[int], version: int) -> int:
    """Return the size in bytes at which a rendition of `size` bytes is sent; `sizes` are those of its trial's clips."""
    is_varied = len(sizes) > 1 or facts.frozen(version).protocol.repeats
    return screen_size(sizes) if is_varied else size


def screen_size(sizes: Iterable[int]) -> int:
    """Return the size in bytes at which each clip of a screen is sent, given the sizes of its renditions."""
    return max(sizes) + FILLER_HEAD


def opened(file: IO[bytes], *, size: int, sent_size: int, key: str) -> IO[bytes]:
    """Open a rendition of `size` bytes as the `sent_size` bytes sent under this key."""
    # The seed is secret: otherwise the dither could be computed and removed.
    seed = salted_hmac("raters.rating.screen_rendition", key, algorithm="sha256").digest()
    return io.BufferedReader(ScreenRendition(file, size, sent_size, seed), BLOCK * WIDTH)


class ScreenRendition(io.RawIOBase):
    """A readable file: the rendition's header, its dithered samples, and filler up to the common length."""

    def __init__(self, file: IO[bytes], size: int, sent_size: int, seed: bytes) -> None:
        self.file, self.size, self.sent_size, self.seed = file, size, sent_size, seed
        self.position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Set the position, counted from the beginning."""
        if whence != io.SEEK_SET:
            raise io.UnsupportedOperation("A rendition is sought from its beginning.")
        self.position = offset
        return offset

    def tell(self) -> int:
        return self.position

    def readinto(self, buffer: Any) -> int:
        """Read to the end of the current part; returns 0 at the end, or if the stored file is too short."""
        content = self._part(self.position)[: len(buffer)]
        buffer[: len(content)] = content
        self.position += len(content)
        return len(content)

    def close(self) -> None:
        self.file.close()
        super().close()

    def _part(self, position: int) -> bytes:
        """Return the rest of the part that contains a position: header, block of samples, or filler."""
        if position < HEADER:
            return self._head()[position:]
        if position < self.size:
            number, inside = divmod(position - HEADER, BLOCK * WIDTH)
            return self._dithered(number)[inside:]
        filler = struct.pack("<4sL", b"JUNK", self.sent_size - self.size - FILLER_HEAD)
        return (filler + bytes(self.sent_size - self.size - FILLER_HEAD))[position - self.size :]

    def _head(self) -> bytes:
        head = bytearray(self._stored(0, HEADER))
        if len(head) == HEADER:
            struct.pack_into("<L", head, 4, self.sent_size - 8)
        return bytes(head)

    def _dithered(self, number: int) -> bytes:
        """Return a block of samples with dither, seeded by the key and the block's number."""
        start = HEADER + number * BLOCK * WIDTH
        content = self._stored(start, min(start + BLOCK * WIDTH, self.size))
        samples = np.frombuffer(content[: len(content) // WIDTH * WIDTH], "<i2").astype(np.int32)
        drawn = hashlib.shake_256(self.seed + number.to_bytes(4, "big")).digest(len(samples))
        samples += STEPS[np.frombuffer(drawn, np.uint8)]
        return samples.clip(LOWEST, HIGHEST).astype("<i2").tobytes()

    def _stored(self, start: int, stop: int) -> bytes:
        self.file.seek(start)
        return self.file.read(stop - start)

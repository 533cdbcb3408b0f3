"""A clip of a multi-clip screen as it is sent: with new dither, and padded to the size of the other clips.

Otherwise equal bytes would reveal the hidden reference, which is played twice, and sizes would identify clips. The
stored rendition is unchanged; the sent bytes are the same for every request and range.
"""

from __future__ import annotations

import hashlib
import io
import struct
from collections.abc import Iterable
from typing import IO, Any

import numpy as np
from django.utils.crypto import salted_hmac

from studies.imports.ingest.wav import HEADER

# The head of the chunk that follows the samples; players skip a chunk of this name.
FILLER_HEAD = 8
# Samples whose dither is drawn together, and bytes of one.
BLOCK, WIDTH = 1 << 15, 2
LOWEST, HIGHEST = -(1 << 15), (1 << 15) - 1
# What triangular dither of two steps makes of a sample that is a whole number, when it is rounded again: one step down
# for an eighth of all bytes that are drawn, one step up for another.
STEPS = np.repeat(np.array([-1, 1, 0], np.int32), [32, 32, 192])


def screen_size(sizes: Iterable[int]) -> int:
    """Return how many bytes each clip of a screen is sent as, whose renditions have these sizes."""
    return max(sizes) + FILLER_HEAD


def opened(file: IO[bytes], *, size: int, sent_size: int, key: str) -> IO[bytes]:
    """Return a rendition of `size` bytes as the `sent_size` bytes that are heard under this key."""
    # The seed is secret: otherwise the dither could be computed and removed.
    seed = salted_hmac("raters.rating.screen_rendition", key, algorithm="sha256").digest()
    return io.BufferedReader(ScreenRendition(file, size, sent_size, seed), BLOCK * WIDTH)


class ScreenRendition(io.RawIOBase):
    """A file: the rendition's head, its samples with fresh dither, and a chunk of nothing up to the common length."""

    def __init__(self, file: IO[bytes], size: int, sent_size: int, seed: bytes) -> None:
        self.file, self.size, self.sent_size, self.seed = file, size, sent_size, seed
        self.position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a byte, counted from the beginning."""
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
        """Return what follows a position in its part: the head, a block of samples, the filler."""
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
        """Return a block of samples, rounded again with dither that goes by the key and the block's number."""
        start = HEADER + number * BLOCK * WIDTH
        content = self._stored(start, min(start + BLOCK * WIDTH, self.size))
        samples = np.frombuffer(content[: len(content) // WIDTH * WIDTH], "<i2").astype(np.int32)
        drawn = hashlib.shake_256(self.seed + number.to_bytes(4, "big")).digest(len(samples))
        samples += STEPS[np.frombuffer(drawn, np.uint8)]
        return samples.clip(LOWEST, HIGHEST).astype("<i2").tobytes()

    def _stored(self, start: int, stop: int) -> bytes:
        self.file.seek(start)
        return self.file.read(stop - start)

"""Verify the checksum of a FLAC file's samples, which its decoder ignores."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

from studies.imports.ingest.problems import InvalidInput

HEADER = 42


def has_length(head: bytes) -> bool:
    """Return whether the first 42 bytes declare the number of samples (36 bits; RFC 9639, section 8.2)."""
    return bool(head[21] & 0x0F or any(head[22:26]))


def check_sum(head: bytes, samples: npt.NDArray[np.float64]) -> None:
    """Compare samples (frames, channels) in full scale with the MD5 in the first 42 bytes; raises `InvalidInput`.

    RFC 9639, section 8.2. An encoder that streamed leaves the sum zero, and then nothing can be compared.
    """
    bits = ((head[20] & 1) << 4 | head[21] >> 4) + 1
    digest = head[26:HEADER]
    if not any(digest) or bits not in {8, 16, 24}:
        return
    integers = np.rint(samples * 2 ** (bits - 1)).astype("<i4")
    raw = integers.view(np.uint8).reshape(-1, 4)[:, : bits // 8].tobytes()
    if hashlib.md5(raw, usedforsecurity=False).digest() != digest:
        raise InvalidInput(
            "The FLAC file is damaged, or its header is wrong: its checksum doesn't match. Export it again."
        )

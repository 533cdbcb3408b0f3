"""Compare containers with their own headers: find truncated files and contradictions."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO

from studies.imports.ingest import formats
from studies.imports.ingest.formats import AudioFormat
from studies.imports.ingest.mpeg import check_mpeg
from studies.imports.ingest.ogg import check_ogg
from studies.imports.ingest.problems import InvalidInput

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
UNKNOWN = 0xFFFFFFFF
# Bytes that no file of an import has; writers that stream declare 0x7FFFFFFF, 2,000,000,000 or more.
PLACEHOLDER = 1 << 30
CUT = "The file is cut off: its header declares {declared:,} bytes of audio and contains {present:,}. Send it again."


def check(file: IO[bytes], format: AudioFormat) -> float | None:  # noqa: A002
    """Return the duration that the container declares in seconds; None if libsndfile or ffmpeg reads the same number.

    Raises `InvalidInput` when the container is truncated or contradicts itself; reads headers, decodes nothing.
    """
    checks: dict[str, Callable[[IO[bytes], int], float | None]] = {
        formats.WAV.name: _check_wav,
        formats.RF64.name: _check_wav,
        formats.AIFF.name: _check_aiff,
        formats.OGG.name: check_ogg,
        formats.MP3.name: check_mpeg,
    }
    length = os.fstat(file.fileno()).st_size
    file.seek(0)
    return checks[format.name](file, length) if format.name in checks else None


def _chunks(file: IO[bytes], length: int, order: str) -> Iterator[tuple[bytes, int, int]]:
    """Yield (id, declared size, offset of the content) of each chunk of a RIFF or IFF file."""
    offset = 12
    while offset + 8 <= length:
        file.seek(offset)
        kind, size = struct.unpack(f"{order}4sL", file.read(8))
        yield kind, size, offset + 8
        offset += 8 + size + size % 2


@dataclass(frozen=True)
class WavData:
    """The samples of a WAV file: where they start, their declared bytes, those of a frame, Hz, and the file's bytes."""

    start: int
    size: int
    block: int
    rate: int
    length: int

    @property
    def has_no_length(self) -> bool:
        """True if the writer didn't know the length: it wrote none, or more than any file may have."""
        return self.size >= PLACEHOLDER or (self.size == 0 and self.length > self.start)

    @property
    def end(self) -> int:
        return self.start + self.size


def wav_data(file: IO[bytes]) -> WavData | None:
    """Return where the samples of a WAV file are; None for RF64, which declares their number elsewhere."""
    length = os.fstat(file.fileno()).st_size
    block = rate = 0
    for kind, size, offset in _chunks(file, length, "<"):
        file.seek(offset)
        if kind == b"ds64":
            return None
        if kind == b"fmt ":
            if size < 16:
                raise InvalidInput("The WAV header is too short to describe the file.")
            block, rate = _check_format_chunk(file.read(16))
        elif kind == b"data":
            if not block:
                raise InvalidInput("The WAV header doesn't describe its samples before they start.")
            return WavData(offset, size, block, rate, length)
    raise InvalidInput("The WAV file contains a header, but no audio.")


def _check_wav(file: IO[bytes], length: int) -> None:
    """Compare `data` with the file's length and `fmt ` with itself (Microsoft RIFF)."""
    data = wav_data(file)
    if data is None:
        _check_rf64(file, length)
    elif not data.has_no_length and data.end > length:
        raise InvalidInput(CUT.format(declared=data.size, present=length - data.start))


def _check_rf64(file: IO[bytes], length: int) -> None:
    """Compare `data` with the file's length and `fmt ` with itself (EBU Tech 3306)."""
    long_size = 0
    for kind, size, offset in _chunks(file, length, "<"):
        file.seek(offset)
        if kind == b"ds64" and size >= 16:
            long_size = struct.unpack("<QQ", file.read(16))[1]
        elif kind == b"fmt " and size >= 16:
            _check_format_chunk(file.read(16))
        elif kind == b"data":
            declared = long_size if size == UNKNOWN and long_size else size
            present = length - offset
            if declared == UNKNOWN or (declared == 0 and present > 0):
                raise InvalidInput(
                    "The RF64 header declares no length, so truncation can't be detected. Save the file again."
                )
            if declared > present:
                raise InvalidInput(CUT.format(declared=declared, present=present))
            return
    raise InvalidInput("The WAV file contains a header, but no audio.")


def _check_format_chunk(raw: bytes) -> tuple[int, int]:
    """Return the bytes of one block and the rate in Hz; plain samples leave no freedom in rate, block and width."""
    tag, channels, rate, byte_rate, block, bits = struct.unpack("<HHLLHH", raw)
    if channels == 0 or rate == 0 or block == 0:
        raise InvalidInput("The WAV header declares no channels, or a sample rate of 0.")
    if tag in {PCM, FLOAT, EXTENSIBLE} and (block != channels * ((bits + 7) // 8) or byte_rate != rate * block):
        raise InvalidInput(
            "The WAV header contradicts itself about rate, channels and sample width. Save the file again."
        )
    return int(block), int(rate)


def _check_aiff(file: IO[bytes], length: int) -> None:
    """Compare `SSND` with the file's length and with `COMM` (Apple, Audio Interchange File Format 1.3)."""
    frames = width = 0
    plain = True
    for kind, size, offset in _chunks(file, length, ">"):
        file.seek(offset)
        if kind == b"COMM" and size >= 18:
            channels, frames, bits = struct.unpack(">HLH", file.read(8))
            file.seek(offset + 18)
            plain = size < 22 or file.read(4) in {b"NONE", b"sowt", b"twos", b"fl32", b"FL32", b"fl64", b"FL64"}
            width = channels * ((bits + 7) // 8)
        elif kind == b"SSND":
            present = length - offset
            if size > present:
                raise InvalidInput(CUT.format(declared=size, present=present))
            if plain and frames * width != size - 8:
                raise InvalidInput("The AIFF header declares another number of samples than the file contains.")
            return
    raise InvalidInput("The AIFF file contains a header, but no audio.")

"""WAV as services stream it: without a length, with that of the first part, several files in one, or no header."""

from __future__ import annotations

import re
import shutil
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile

from studies.imports.ingest import headers
from studies.imports.ingest.headers import WavData
from studies.imports.ingest.problems import InvalidInput, UncertainEnd

Samples = npt.NDArray[np.float64]
NO_LENGTH = (
    "The header of the file has no length, as streaming services write it. {seconds:.2f} s of audio were read up to "
    "the end of the file. Check that the clip is complete."
)
FIRST_PART = (
    "The header of the file has the length of its first part only ({declared:.2f} s), as services write it that send "
    "audio in parts. All {seconds:.2f} s were read. Check the end of the clip."
)
LEFT_OUT = "{number} bytes after the audio were left out: they are too short for speech."
SEVERAL = (
    "The file contains several WAV files one after another, as services send a text in parts; players stop after the "
    "first. Decode each part and write all samples to one file, for example: sox part1.wav part2.wav whole.wav"
)
UNKNOWN_REST = (
    "The header declares {declared:.2f} s of audio, and {rest:,} bytes of something else follow. If that is speech, "
    "write all samples under one header. If it isn't, import the declared part."
)
DECLARED_PART = (
    "Only the {seconds:.2f} s that the header declares are in the clip, as you chose; something else follows in the "
    "file."
)
HEADERLESS = (
    "The file has no header: its bytes look like {form} samples. Convert it with its sample rate and channels, for "
    "example: ffmpeg -f {ffmpeg} -ar 24000 -ac 1 -i clip.pcm clip.wav"
)
# Chunks that follow samples, or start another file.
CHUNK_IDS = re.compile(rb"RIFF|RF64|LIST|WAVE|fmt |data|bext|fact|id3 |ID3 |iXML|smpl|cue ")
ANOTHER_FILE = b"WAVEfmt "
# Seconds that hold no speech, and seconds next to a joint that are compared.
SHORT, NEAR = 0.02, 0.05
# Neighbouring samples differ less than this share of their level in speech; in other bytes, by 1.4.
ROUGH = 1.1
LEAST_STEP = 0.005


@dataclass(frozen=True)
class Streamed:
    """A WAV file to decode: a copy with the right length where the header lies, and what to warn of."""

    path: Path
    warning: str = ""
    # The frame after the declared ones, if more follow.
    joint: int = 0


def whole(path: Path, scratch: Path, *, keeps_declared: bool = False) -> Streamed:
    """Return the file with a header that covers all samples.

    Raises `UncertainEnd` if something else follows, unless the declared part is to be kept.
    """
    with path.open("rb") as file:
        data = headers.wav_data(file)
        if data is None or not (data.has_no_length or data.end < data.length):
            return Streamed(path)
        file.seek(data.start if data.has_no_length else data.end)
        rest = file.read()
    if ANOTHER_FILE in rest:
        raise InvalidInput(SEVERAL)
    if data.has_no_length:
        if data.size == 0 and _is_chunks(rest):
            raise InvalidInput("The WAV file contains a header, but no audio.")
        return Streamed(_with_length(path, data, scratch), NO_LENGTH)
    if _is_chunks(rest) or (data.size % 2 and _is_chunks(rest[1:])) or not any(rest):
        return Streamed(path)
    if len(rest) < SHORT * data.rate * data.block:
        return Streamed(path, LEFT_OUT.format(number=len(rest)))
    if len(rest) % data.block or data.size % data.block or CHUNK_IDS.search(rest):
        if not keeps_declared:
            raise unknown(path)
        return Streamed(path, DECLARED_PART)
    return Streamed(_with_length(path, data, scratch), FIRST_PART, data.size // data.block)


def goes_on(samples: Samples, rate: int, joint: int) -> bool:
    """Return whether the samples go on after the declared ones, without a jump."""
    steps = np.abs(np.diff(samples, axis=0)).max(axis=1)
    near = max(2, int(NEAR * rate))
    usual = float(steps[max(0, joint - near) : joint - 1].max(initial=0.0))
    rest = samples[joint:]
    roughness = np.diff(rest, axis=0).std() / max(float(rest.std()), 1e-9)
    return bool(steps[joint - 1] <= 2 * usual + LEAST_STEP and roughness <= ROUGH)


def said(streamed: Streamed, samples: Samples, rate: int) -> str:
    """Return the warning with the durations that were found."""
    return streamed.warning.format(seconds=len(samples) / rate, declared=streamed.joint / rate)


def check_headerless(path: Path) -> None:
    """Raise `InvalidInput` with advice if a file of no known format looks like samples without a header."""
    content = path.read_bytes()[: 1 << 20]
    for dtype, form, ffmpeg in (("<i2", "16-bit", "s16le"), ("<f4", "32-bit floating-point", "f32le")):
        size = np.dtype(dtype).itemsize
        raw = np.frombuffer(content[: len(content) // size * size], dtype)
        if len(raw) < 800 or not np.isfinite(raw).all() or (dtype == "<f4" and np.abs(raw).max() > 8):
            continue
        samples = raw.astype(np.float64)
        if np.diff(samples).std() < 0.7 * samples.std():
            raise InvalidInput(HEADERLESS.format(form=form, ffmpeg=ffmpeg))


def unknown(path: Path) -> UncertainEnd:
    """Return what to say of a file that goes on with something unknown."""
    with path.open("rb") as file:
        data = headers.wav_data(file)
    assert data is not None
    declared, rest = data.size / data.block / data.rate, data.length - data.end
    return UncertainEnd(UNKNOWN_REST.format(declared=declared, rest=rest))


def _is_chunks(content: bytes) -> bool:
    """Return whether bytes are whole chunks of a RIFF file, up to the end."""
    offset = 0
    while offset + 8 <= len(content):
        name, size = struct.unpack_from("<4sL", content, offset)
        if not re.fullmatch(rb"[ -~]{4}", name):
            return False
        offset += 8 + size + size % 2
    # The last one may lack its padding.
    return offset in {len(content), len(content) + 1} and bool(content)


def _with_length(path: Path, data: WavData, scratch: Path) -> Path:
    """Copy a file, with the number of bytes that it has after the header of its samples."""
    copy = scratch / "whole"
    shutil.copyfile(path, copy)
    with copy.open("r+b") as file:
        file.seek(data.start - 4)
        file.write(struct.pack("<L", data.length - data.start))
    return copy


class UnknownLength(soundfile.SoundFile):  # type: ignore[misc]
    """A FLAC file without a length: it can't be sought, which soundfile otherwise does after reading."""

    def seekable(self) -> bool:
        return False

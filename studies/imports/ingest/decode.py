"""Decode one file completely, and reject it if the result doesn't match its header."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile

from studies.imports.ingest import ffmpeg, flac, headers, streamed
from studies.imports.ingest.facts import MAX_CHANNELS, MAX_RATE, MIN_RATE, SHORTEST
from studies.imports.ingest.formats import FLAC, MAGIC_BYTES, MP3, WAV, AudioFormat, recognise
from studies.imports.ingest.measure import decibels
from studies.imports.ingest.problems import InvalidInput

Samples = npt.NDArray[np.float64]
BLOCK = 1 << 17
# Peak below which a file counts as silent, as a share of full scale: -60 dBFS.
SILENT = 1e-3
# Frames that an encoder's delay may add or take (MP3 and AAC pad to whole frames).
SLACK = 4608
UNKNOWN_LENGTH = 1 << 40
# Seconds that rounding a stream's last position to another rate may take.
OGG_SLACK = 0.01
# Floating-point files and lossy encoders overshoot full scale by a few dB; beyond this, in dBFS, something is wrong.
LOUDEST = 24.0


def decode(
    path: Path,
    *,
    max_seconds: float,
    warnings: list[str] | None = None,
    keeps_declared: bool = False,
) -> tuple[Samples, int, AudioFormat]:
    """Return samples (frames, channels; full scale 1.0), the rate in Hz and the format; raises `InvalidInput`.

    Sentences on what to check in a clip that was accepted are added to `warnings`. With `keeps_declared`, a file that
    goes on with something unknown is read as far as its header says.
    """
    with path.open("rb") as file:
        head = file.read(MAGIC_BYTES)
        form = _recognised(head, path)
        declared = headers.check(file, form)
    # Several processes decode side by side: intermediate files need a folder of their own.
    with tempfile.TemporaryDirectory() as folder:
        wav = streamed.Streamed(path)
        if form == WAV:
            wav = streamed.whole(path, Path(folder), keeps_declared=keeps_declared)
        if form.demuxer:
            wav = streamed.Streamed(ffmpeg.to_wav(path, form, Path(folder) / "decoded", max_seconds=max_seconds))
        samples, rate = _read(wav.path, form, max_seconds)
    if wav.joint and not streamed.goes_on(samples, rate, wav.joint):
        if not keeps_declared:
            raise streamed.unknown(path)
        samples, wav = samples[: wav.joint], streamed.Streamed(path, streamed.DECLARED_PART)
    if form == FLAC and not flac.has_length(head):
        wav = streamed.Streamed(path, streamed.NO_LENGTH)
    if wav.warning and warnings is not None:
        warnings.append(streamed.said(wav, samples, rate))
    if form == FLAC:
        flac.check_sum(head, samples)
    if declared is not None:
        _check_whole(len(samples) / rate, declared, SLACK / rate if form == MP3 else OGG_SLACK)
    _check_sound(samples)
    return samples, rate, form


def _recognised(head: bytes, path: Path) -> AudioFormat:
    try:
        return recognise(head)
    except InvalidInput:
        if head and not head.isascii():
            streamed.check_headerless(path)
        raise


def _read(path: Path, form: AudioFormat, max_seconds: float) -> tuple[Samples, int]:
    expected = form.soundfile or {"WAV", "WAVEX"}
    try:
        with streamed.UnknownLength(path) as file:
            if file.format not in expected:
                raise InvalidInput(f"The file begins like {form.name} but contains something else ({file.format}).")
            rate, declared = int(file.samplerate), int(file.frames)
            _check_shape(rate, int(file.channels))
            if UNKNOWN_LENGTH > declared > max_seconds * rate:
                raise _too_long(declared / rate, max_seconds)
            blocks = list(_blocks(file, math.ceil(max_seconds * rate), max_seconds))
    except soundfile.LibsndfileError as error:
        # libsndfile's messages about its own internals don't help anybody.
        message = str(error.error_string).rstrip(".")
        why = "" if message.startswith(("Internal", "System")) else f" ({message})"
        raise InvalidInput(f"The file is damaged and can't be decoded{why}. Export it again.") from None
    samples = np.concatenate(blocks) if blocks else np.zeros((0, 1))
    slack = SLACK if form in {MP3} else 0
    if declared < UNKNOWN_LENGTH and len(samples) + slack < declared:
        raise InvalidInput(
            f"The file is cut off or damaged: it declares {declared:,} samples and contains {len(samples):,}."
        )
    if len(samples) < SHORTEST * rate:
        raise InvalidInput(f"The clip lasts {len(samples) / rate:.3f} s; at least {SHORTEST} s are needed.")
    return samples, rate


def _blocks(file: Any, most: int, max_seconds: float) -> Iterator[Samples]:
    count = 0
    while len(block := file.read(BLOCK, dtype="float64", always_2d=True)):
        count += len(block)
        if count > most:
            raise _too_long(count / file.samplerate, max_seconds)
        yield block


def _too_long(seconds: float, most: float) -> InvalidInput:
    return InvalidInput(f"The clip lasts {seconds:.1f} s or more; this study accepts at most {most:g} s.")


def _check_shape(rate: int, channels: int) -> None:
    if not MIN_RATE <= rate <= MAX_RATE:
        raise InvalidInput(f"The sample rate is {rate:,} Hz; between {MIN_RATE:,} and {MAX_RATE:,} Hz are accepted.")
    if not 1 <= channels <= MAX_CHANNELS:
        raise InvalidInput(f"The file has {channels} channels; one or two are accepted.")


def _check_whole(seconds: float, declared: float, slack: float) -> None:
    if seconds + slack < declared:
        raise InvalidInput(
            f"The file is cut off or damaged: it declares {declared:.2f} s, and {seconds:.2f} s come out. "
            "Export it again."
        )


def _check_sound(samples: Samples) -> None:
    if not np.isfinite(samples).all():
        raise InvalidInput("The file contains samples that are not numbers (NaN or infinity). Export it again.")
    level = decibels(float(np.abs(samples).max()))
    if level > LOUDEST:
        raise InvalidInput(
            f"The samples reach {level:+.0f} dBFS, where full scale is 0: no recording is that loud. Export it "
            "again with samples between -1 and 1."
        )
    if np.abs(samples - samples.mean(axis=0)).max() < SILENT:
        raise InvalidInput("The file is silent: nothing in it reaches -60 dBFS.")

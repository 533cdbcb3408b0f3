"""Decoding: a clip's bytes as 16 kHz mono float32 samples, or a refusal with a reason."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass

import numpy as np
import soundfile
import soxr

from judge.problems import ClipRefusal
from judge.schemas import Caution, ScoreQuery
from judge.server import containers
from judge.server.pcm import RATE, Samples

# Seconds: a useful minimum, and the limit of the model's encoder.
SHORTEST, LONGEST = 0.1, 30.0
MIN_RATE, MAX_RATE, MAX_CHANNELS = 4_000, 192_000, 2
# Peaks below which a clip counts as silent (-60 dBFS), and above which it counts as damaged (+12 dBFS).
SILENT, ABSURD = 1e-3, 4.0
# Seconds by which the sender's decoder may differ because of encoder delays.
SLACK = 0.15
# Samples that a file may declare without containing them: MP3 pads to whole frames.
PADDING = 4608


@dataclass(frozen=True, slots=True)
class DecodedClip:
    """A decoded and checked clip."""

    samples: Samples
    seconds: float
    audio_sha256: str
    pcm_sha256: str
    warnings: tuple[Caution, ...]


def hear(content: bytes, query: ScoreQuery, loudness: float | None = None) -> DecodedClip:
    """Decode, check and resample one clip, and compare it with the sender's data; raises `ClipRefusal`."""
    digest = hashlib.sha256(content).hexdigest()
    if query.sha256 not in {"", digest} or query.length not in {None, len(content)}:
        raise ClipRefusal("corrupt", f"What arrived isn't what was sent: {len(content):,} bytes with SHA-256 {digest}.")
    frames, rate, warnings = _decoded(content)
    seconds = len(frames) / rate
    if query.seconds is not None and abs(seconds - query.seconds) > SLACK:
        raise ClipRefusal(
            "corrupt", f"The sender decoded {query.seconds:.2f} s of sound, and here are {seconds:.2f} s."
        )
    warnings += _sound(frames, seconds)
    if frames.shape[1] > 1:
        warnings.append("downmixed")
    if rate < RATE:
        warnings.append("narrowband")
    samples = np.ascontiguousarray(soxr.resample(frames.mean(axis=1), rate, RATE, quality="HQ"), dtype=np.float32)
    if loudness is not None:
        samples = _levelled(samples, loudness)
    # Rounded to 16 bits, so that CPUs with different arithmetic give the same hash.
    pcm = np.clip(np.rint(samples * 32767.0), -32768, 32767).astype("<i2").tobytes()
    return DecodedClip(samples, seconds, digest, hashlib.sha256(pcm).hexdigest(), tuple(warnings))


def _decoded(content: bytes) -> tuple[Samples, int, list[Caution]]:
    """Return samples (frames, channels), rate and warnings; decodes at most the maximum length."""
    try:
        file = soundfile.SoundFile(io.BytesIO(content))
    except soundfile.LibsndfileError as error:
        raise ClipRefusal("undecodable", f"The file is not in a known audio format. {error.error_string}") from None
    with file:
        if file.format not in containers.FORMATS:
            raise ClipRefusal("undecodable", f"{file.format} files aren't accepted; send WAV, FLAC, AIFF, Ogg or MP3.")
        rate, declared = int(file.samplerate), int(file.frames)
        if not MIN_RATE <= rate <= MAX_RATE or not 1 <= file.channels <= MAX_CHANNELS:
            raise ClipRefusal(
                "unsupported_layout",
                f"{file.channels} channels at {rate:,} Hz; one or two at {MIN_RATE:,} to {MAX_RATE:,} Hz are accepted.",
            )
        warnings = containers.cautions(content)
        most = int(LONGEST * rate)
        try:
            samples = file.read(most + 1, dtype="float32", always_2d=True)
        except soundfile.LibsndfileError as error:
            raise ClipRefusal("corrupt", f"The file is damaged. {error.error_string}") from None
        if len(samples) > most:
            raise ClipRefusal("too_long", f"The model hears at most {LONGEST:g} s.")
        if not containers.declares_length(content, file.format):
            warnings.append("length_unknown")
        elif "length_unknown" not in warnings and len(samples) + PADDING < declared:
            raise ClipRefusal(
                "corrupt", f"The file is cut off: it declares {declared:,} samples, {len(samples):,} came."
            )
    return samples, rate, warnings


def _sound(samples: Samples, seconds: float) -> list[Caution]:
    """Refuse unusable samples; return warnings on their level."""
    if not np.isfinite(samples).all():
        raise ClipRefusal("non_finite", "The file contains samples that are not numbers (NaN or infinity).")
    if seconds < SHORTEST:
        raise ClipRefusal("too_short", f"The clip lasts {seconds:.3f} s; at least {SHORTEST} s are needed.")
    peak = float(np.abs(samples).max())
    if peak > ABSURD:
        raise ClipRefusal(
            "corrupt", f"The samples reach {peak:,.0f} times full scale: the file is damaged or mislabelled."
        )
    if np.abs(samples - samples.mean(axis=0)).max() < SILENT:
        raise ClipRefusal("silent", "Nothing in the clip reaches -60 dBFS.")
    return ["beyond_full_scale"] if peak > 1.0 else []


def _levelled(samples: Samples, target: float) -> Samples:
    """Normalize samples to `target` LUFS; clips too short for ITU-R BS.1770 stay unchanged."""
    import pyloudnorm  # it brings SciPy, which takes seconds that most judges needn't spend

    meter = pyloudnorm.Meter(RATE)
    if len(samples) < meter.block_size * RATE:
        return samples
    level = float(meter.integrated_loudness(samples.astype(np.float64)))
    return samples if not np.isfinite(level) else np.asarray(samples * 10 ** ((target - level) / 20), np.float32)

"""What is measured on the sound of one clip, by functions that know neither tables nor Django.

Levels are in dB relative to full scale (dBFS), where a constant 1.0 has 0 dBFS and a sine at full scale −3.01 dBFS.
Samples have the shape (frames, channels) and lie between −1 and 1.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from studies.imports.ingest.measure import Samples, decibels, loudness, peak, silence
from studies.imports.ingest.noise import edge_noise

Array = npt.NDArray[np.float64]
# dBFS: about the noise of 16-bit samples with dither. Quieter frames count as this.
FLOOR = -90.0
# Seconds of a frame, and the percentile of frames taken as the pauses.
FRAME, QUIET_PERCENTILE = 0.02, 10
LOUD_PERCENTILE = 95
# dB: if pauses are less than this below the loud frames, speech fills the clip.
PAUSE_DEPTH = 10.0
# In dB: how far below the loud frames speech may lie, and how far above the quiet ones a pause.
SPEECH_RANGE, PAUSE_RANGE = 20.0, 3.0
# Hz of a band of the spectrum, and the dB by which speech must exceed the pauses in it.
BAND, ABOVE = 250, 10.0
ROLLOFF = 0.99
# Linear peak below which a clip counts as silent: −60 dBFS, as at import.
SILENT = 1e-3
# Frames whose spectrum is taken at once.
CHUNK = 2048


@dataclass(frozen=True, slots=True)
class ClipMeasures:
    """Measures of a rendition; None if a measure doesn't exist for it."""

    # Seconds.
    duration: float
    # LUFS.
    loudness: float | None
    # dBTP.
    true_peak: float
    # Seconds.
    silence_before: float
    silence_after: float
    # Seconds of audible noise, and its level in dB relative to the speech; None where there is none.
    noise_before: float
    noise_after: float
    noise_before_level: float | None
    noise_after_level: float | None
    # dBFS, without the edges; None where speech fills the clip.
    pauses: float | None
    # Hz.
    bandwidth: float | None
    rolloff: float | None
    # Share of full scale.
    dc_offset: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def measure(samples: Samples, rate: int) -> ClipMeasures:
    """Return all measures of a clip that is not silent."""
    before, after = silence(samples, rate)
    noise = edge_noise(samples, rate)
    # A repair of the edges must not change the level in pauses, nor the bandwidth above it.
    inner = without_edges(samples, rate, before + noise.before, after + noise.after)
    levels = frame_levels(inner, rate)
    quiet = pause_level(levels)
    spectra = Spectra.of(inner, rate, levels, quiet)
    return ClipMeasures(
        duration=len(samples) / rate,
        loudness=loudness(samples, rate),
        true_peak=decibels(peak(samples)),
        silence_before=before,
        silence_after=after,
        noise_before=noise.before,
        noise_after=noise.after,
        noise_before_level=noise.before_level,
        noise_after_level=noise.after_level,
        pauses=quiet,
        bandwidth=bandwidth(spectra),
        rolloff=rolloff(spectra),
        dc_offset=dc_offset(samples),
    )


def is_silent(samples: Samples) -> bool:
    """True if no sample is more than −60 dBFS from the mean of its channel."""
    return not len(samples) or float(np.abs(samples - samples.mean(axis=0)).max()) < SILENT


def dc_offset(samples: Samples) -> float:
    """Return the mean of all samples as a share of full scale; with several channels, the value farthest from 0."""
    means = samples.mean(axis=0)
    return float(means[np.abs(means).argmax()])


def without_edges(samples: Samples, rate: int, before: float, after: float) -> Samples:
    """Return the samples without so many seconds at both ends; all of them if less than a frame of 20 ms would stay."""
    inner = samples[round(before * rate) : len(samples) - round(after * rate)]
    return inner if len(inner) >= FRAME * rate else samples


def frame_levels(samples: Samples, rate: int) -> Array:
    """Return the level of each whole frame of 20 ms in dBFS, at least −90: its mean power over all channels."""
    frames = _framed(samples, rate)
    power = (frames**2).mean(axis=(1, 2))
    return np.asarray(10 * np.log10(np.maximum(power, 10 ** (FLOOR / 10))), dtype=np.float64)


def pause_level(levels: Array) -> float | None:
    """Return the level in pauses in dBFS: the 10th percentile of the levels of frames between the edges, at least −90.

    None where speech fills the clip: the percentile then lies less than 10 dB below the 95th, which are loud frames.
    Percentiles of frame levels need no detector of speech (compare ITU-T P.56, which needs one).
    """
    if not len(levels):
        return None
    quiet, loud = np.percentile(levels, [QUIET_PERCENTILE, LOUD_PERCENTILE])
    return float(quiet) if loud - quiet >= PAUSE_DEPTH else None


@dataclass(frozen=True, slots=True)
class Spectra:
    """Power spectra: the mean one of frames with speech by bin, and loud and quiet ones by band of 250 Hz."""

    # Hz of each bin.
    bins: Array
    speech: Array
    # Power by band: the 90th percentile of frames with speech, and of frames in pauses (never below the floor's).
    loud_bands: Array
    floor_bands: Array

    @classmethod
    def of(cls, samples: Samples, rate: int, levels: Array, quiet: float | None) -> Spectra | None:
        """Return the spectra of a clip; None if no frame lies above the floor.

        Frames of 20 ms through a Blackman window, whose side lobes stay 58 dB down and fall by 18 dB an octave, so that
        loud low frequencies don't count as high ones.
        """
        if not len(levels) or levels.max() <= FLOOR:
            return None
        is_speech = levels >= np.percentile(levels, LOUD_PERCENTILE) - SPEECH_RANGE
        frames = _framed(samples, rate)
        bins = np.asarray(np.fft.rfftfreq(frames.shape[1], 1 / rate), dtype=np.float64)
        mean, speech_bands = _spectra(frames[is_speech], bins)
        floor = np.full(speech_bands.shape[1], 10 ** (FLOOR / 10) * BAND / (rate / 2))
        if quiet is not None:
            _mean, pause_bands = _spectra(frames[levels <= quiet + PAUSE_RANGE], bins)
            floor = np.maximum(floor, np.percentile(pause_bands, 90, axis=0))
        return cls(bins, mean, np.percentile(speech_bands, 90, axis=0), floor)


def bandwidth(spectra: Spectra | None) -> float | None:
    """Return the highest frequency in Hz at which frames with speech are 10 dB above the pauses, in bands of 250 Hz.

    Both are 90th percentiles of frames, since the highest frequencies occur in few sounds. Where speech fills the clip,
    and wherever pauses are quieter, speech is compared with white noise at −90 dBFS.
    """
    if spectra is None:
        return None
    heard = np.flatnonzero(spectra.loud_bands > spectra.floor_bands * 10 ** (ABOVE / 10))
    if not len(heard):
        return None
    return float(min((heard[-1] + 1) * BAND, spectra.bins[-1]))


def rolloff(spectra: Spectra | None) -> float | None:
    """Return the frequency in Hz below which 99 % of the power of frames with speech lies (spectral roll-off)."""
    if spectra is None:
        return None
    power = np.cumsum(spectra.speech)
    return float(spectra.bins[np.searchsorted(power, ROLLOFF * power[-1])])


def _framed(samples: Samples, rate: int) -> npt.NDArray[np.float64]:
    """Return the whole frames of 20 ms, as (frames, samples, channels)."""
    size = max(1, round(FRAME * rate))
    count = len(samples) // size
    return samples[: count * size].reshape(count, size, samples.shape[1])


def _spectra(frames: npt.NDArray[np.float64], bins: Array) -> tuple[Array, Array]:
    """Return the mean power of frames by bin, and their power by (frame, band), both over all channels."""
    window = np.blackman(frames.shape[1])
    # So that the powers of all bins add up to the mean square of the samples.
    scale = 2 / (frames.shape[1] * (window**2).sum())
    starts = np.searchsorted(bins, np.arange(0, bins[-1], BAND))
    total = np.zeros(len(bins))
    bands = []
    for start in range(0, len(frames), CHUNK):
        part = frames[start : start + CHUNK]
        part = part - part.mean(axis=1, keepdims=True)
        power = (np.abs(np.fft.rfft(part * window[:, None], axis=1)) ** 2).mean(axis=2) * scale
        total += power.sum(axis=0)
        bands.append(np.add.reduceat(power, starts, axis=1))
    return total / len(frames), np.concatenate(bands)

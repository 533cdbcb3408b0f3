"""Steady noise before and after speech: where it ends, and how loud it is.

What is looked for is sound at an edge of a recording that isn't speech and isn't faint: the noise of a room or of a
recorder, hiss, hum. Speech can be as loud and as long, but never stays the same: noise is recognised by its
*steadiness*. The spectrum of 50 ms (Hann window, every 10 ms) is taken in octaves from 40 Hz on, as running means over
100 ms. Noise is a run of at least 0.25 s in which every band stays within ±3 dB of its median over the first 0.25 s,
plus three standard errors of a band's level: 4.34 dB / √(bandwidth × seconds) for Gaussian noise (Blackman and Tukey,
*The measurement of power spectra*, 1958, equivalent degrees of freedom). Bands more than 20 dB below the noise as a
whole count as 20 dB below it. The run starts with the recording or with its first audible window (within 40 dB of the
loudest frame), after at most 0.2 s of fading in, and lies at least 10 dB below the loud frames (their 95th percentile).
Below 0.5 s, its level may have a standard deviation of 1.2 dB at most, since the middle of a breath is nearly steady.
It ends where any band leaves its range: so a fricative ends it, though the noise may be louder than that as a whole.

Errors: noise planted before and after read sentences (white, pink, hum), 10 to 20 dB below them and 0.3 to 1.5 s
long, is measured to 20 ms, and 30 dB below them to 80 ms. Below 0.25 s nothing is noise, since vowels and fricatives
can be as steady. Noise that changes (babble, music, a slow fade) is none, and a sound that is hidden in noise in
every band can't be told from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from studies.imports.ingest.measure import SILENCE, Samples, frame_power, silence

Array = npt.NDArray[np.float64]
# Seconds of a window; they begin with each frame of 10 ms.
WINDOW = 0.05
# Hz at which bands begin; the last one ends at half the rate.
BANDS = (40, 125, 250, 500, 1000, 2000, 4000, 8000, 16_000)
# Windows of a running mean, and of the shortest noise and of the longest fade before it.
MEAN, LEAST, FADES = 5, 25, (0, 5, 10, 15, 20)
# Shorter noise varies less than a breath, which rises and falls: the standard deviation of its level, in dB.
SHORT, BREATH = 50, 1.2
# Frames by which the centre of a window lies after its start, and by which a mean sees the end of noise too early.
CENTRE, EARLY = 2, 8
# In dB: how much steady noise varies, how far it lies below loud frames, and how far below the noise a band counts.
VARIES, BELOW, FAINT = 3.0, 10.0, 20.0
# Standard errors of a band's level, one of them in dB for a product of bandwidth and time of 1.
ERRORS, ERROR = 3.0, 4.34
# Seconds to which a Hann window, and the mean of five, average noise.
ONE_WINDOW, MEAN_WINDOWS = 0.03, 0.08
# dBFS: fainter bands count as this.
FLOOR = -100.0
# Seconds of a recording that are looked at from each edge: first a few, then as many as noise can last. Windows whose
# spectrum is taken at once.
LOOKS, CHUNK = (3.0, 30.0), 256
LOUD_PERCENTILE = 95
# In dB: frames this far below the loud ones are speech; its level is the mean of their power.
SPEECH_RANGE = 20.0


@dataclass(frozen=True, slots=True)
class SteadyNoise:
    """Noise at the start of a recording, its last sample, and its level in dBFS."""

    end: int
    level: float


@dataclass(frozen=True, slots=True)
class EdgeNoise:
    """Seconds of audible noise before and after the speech, and its level in dB relative to it; None without noise."""

    before: float
    after: float
    before_level: float | None
    after_level: float | None


def edge_noise(samples: Samples, rate: int) -> EdgeNoise:
    """Measure the noise at both edges of (frames, channels); what counts as silence there is left out."""
    levels = decibels(frame_power(samples, rate)[0])
    first, last = steady_noise(samples, rate), steady_noise(samples[::-1], rate)
    quiet_before, quiet_after = silence(samples, rate)
    middle = samples[first.end if first else 0 : len(samples) - (last.end if last else 0)]
    spoken = frame_power(middle, rate)[0] if len(middle) else np.zeros(1)
    loud = np.percentile(levels, LOUD_PERCENTILE)
    is_speech = spoken > 10 ** ((loud - SPEECH_RANGE) / 10)
    speech = decibels(spoken[is_speech].mean(keepdims=True))[0] if is_speech.any() else float(loud)

    def one(noise: SteadyNoise | None, quiet: float) -> tuple[float, float | None]:
        seconds = noise.end / rate - quiet if noise else 0.0
        # Less than two windows are left of noise that is about 40 dB down, and counts as silence now and then.
        return (seconds, noise.level - float(speech)) if noise and seconds > 2 * WINDOW else (0.0, None)

    (before, before_level), (after, after_level) = one(first, quiet_before), one(last, quiet_after)
    return EdgeNoise(before, after, before_level, after_level)


def steady_noise(samples: Samples, rate: int) -> SteadyNoise | None:
    """Return the steady noise with which (frames, channels) start, of any level; None if they start otherwise.

    Of several runs (digital silence, then noise), the one that ends last.
    """
    power, size = frame_power(samples, rate)
    frames = decibels(power)
    highest = float(np.percentile(frames, LOUD_PERCENTILE)) - BELOW
    for seconds in LOOKS:
        bands, widths = _bands(samples[: round(seconds * rate)], rate, size)
        if len(bands) < LEAST:
            return None
        total = decibels(bands.sum(axis=1))
        audible = np.flatnonzero(total > frames.max() + SILENCE)
        starts = {0, int(audible[0]) + CENTRE + 1 if len(audible) else 0}
        is_cut = len(samples) > seconds * rate
        runs = [run for start in sorted(starts) for run in _runs(bands, total, widths, start, highest, is_cut)]
        end, level = max(runs, default=(0, 0.0))
        if not is_cut or (len(audible) and end < len(bands) and audible[0] < len(bands) // 2):
            break
    return SteadyNoise(min(end * size, len(samples)), level) if end else None


def _runs(
    bands: Array, total: Array, widths: Array, start: int, highest: float, is_cut: bool
) -> Iterator[tuple[int, float]]:
    """Yield (frame after the last, dBFS) of steady noise at `start`, after fades of some lengths."""
    kernel = np.ones(MEAN) / MEAN
    padded = np.pad(bands, ((MEAN // 2, MEAN // 2), (0, 0)), mode="edge")
    means = np.stack([np.convolve(band, kernel, mode="valid") for band in padded.T], axis=1)
    steady, steady_once = (
        VARIES + ERRORS * ERROR / np.sqrt(widths * seconds) for seconds in (MEAN_WINDOWS, ONE_WINDOW)
    )
    for fade in FADES:
        at = start + fade
        first = means[at : at + LEAST - 2 * CENTRE]
        if len(first) < LEAST - 2 * CENTRE:
            return
        level = float(decibels(np.median(first, axis=0).sum(keepdims=True))[0])
        if level > highest or (total[start:at] > level + VARIES).any():
            continue
        floor = max(level - FAINT, FLOOR)
        usual = np.maximum(decibels(np.median(first, axis=0)), floor)
        changes = np.flatnonzero((np.abs(np.maximum(decibels(means[at:]), floor) - usual) > steady).any(axis=1))
        if not len(changes) and not is_cut:
            # The whole recording.
            continue
        end = at + int(changes[0]) if len(changes) else len(bands)
        later = np.maximum(decibels(bands[end : end + EARLY]), floor)
        leaves = np.flatnonzero((np.abs(later - usual) > steady_once).any(axis=1))
        end += (int(leaves[0]) if len(leaves) else len(later)) + CENTRE
        total_levels = decibels(means[at : max(at + 1, end - EARLY)].sum(axis=1))
        is_breath = end - at < SHORT and float(total_levels.std()) > BREATH
        if end - at >= LEAST and not is_breath:
            yield end, level


def _bands(samples: Samples, rate: int, size: int) -> tuple[Array, Array]:
    """Return the power of (frames, channels) by (window, octave), all channels together, and the octaves' Hz."""
    length = round(WINDOW * rate)
    shape = np.hanning(length)
    # So that the powers of all bins add up to the mean square of the samples.
    scale = 2 / (length * (shape**2).sum() * samples.shape[1])
    edges = [edge for edge in BANDS if edge < 0.49 * rate]
    places = np.searchsorted(np.fft.rfftfreq(length, 1 / rate), edges)
    parts = [np.zeros((0, len(edges)))]
    if len(samples) >= length:
        windows = np.lib.stride_tricks.sliding_window_view(samples, length, axis=0)[::size]
        for start in range(0, len(windows), CHUNK):
            power = (np.abs(np.fft.rfft(windows[start : start + CHUNK] * shape, axis=2)) ** 2).sum(axis=1) * scale
            parts.append(np.add.reduceat(power, places, axis=1))
    return np.concatenate(parts), np.diff([*edges, rate / 2]).astype(np.float64)


def decibels(power: Array) -> Array:
    """Return levels of powers in dBFS, at least −120."""
    return np.asarray(10 * np.log10(np.maximum(power, 1e-12)), dtype=np.float64)

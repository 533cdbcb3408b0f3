"""Trim or pad both edges of a recording to one length of silence, and never into speech or a breath.

What is measured: the level of 10 ms frames, as the audit does. The *onset* is the first frame within 40 dB of the
loudest one. Before it, a fainter *sound* (a breath, a soft attack) is what exceeds the quiet frames by 6 dB and lies
within 60 dB of the loudest frame, in the mean of three frames; sounds with gaps of at most 0.3 s between them belong
together, and to the onset. What lies further away is no part of the utterance: a click, a chair.

What is kept: as many seconds before the onset as wanted, and never less than 50 ms before the first sound. Where the
recording has less, its own background noise continues it: noise with the level and spectrum of its quietest frames
(one in fifty, at least five), or digital silence where these lie below −90 dBFS or speech fills the recording. 5 ms are
faded where something was cut.

Noise before speech: 0.3 s or more from the recording's first frame on whose level stays within 3 dB, at least 10 dB
below the loud frames, are background, however loud. If the recording's pauses are more than 6 dB quieter, at most 50 ms
of this noise stay. A sound that exceeds such noise by less than 3 dB can't be told from it.

The end is the mirror image.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from studies.imports.ingest.measure import SILENCE, Samples, frame_power

Array = npt.NDArray[np.float64]
# Seconds kept before the first sound, and of each fade.
MARGIN, FADE = 0.05, 0.005
# In dB: how far below the loudest frame a sound may lie, and how far above the quiet ones it must lie.
FAINT, ABOVE = -60.0, 6.0
# Frames of 10 ms between two sounds that belong together, and of the shortest steady noise.
GAP, STEADY = 30, 30
# In dB: how much steady noise varies, how far it lies below loud frames, and above pauses that don't have it.
VARIES, BELOW, LOUDER = 3.0, 10.0, 6.0
# Frames at least, or one in fifty, that stand for the background.
QUIETEST = 5
# dBFS: quieter backgrounds count as digital silence.
DIGITAL = -90.0
QUIET_PERCENTILE, LOUD_PERCENTILE = 10, 95


@dataclass(frozen=True, slots=True)
class Edge:
    """What is done to one edge, in samples: first cut, then add background."""

    cut: int
    pad: int
    # Samples beside the speech that the edge then has: more than are wanted where a breath is kept.
    silence: int = 0

    @property
    def net(self) -> int:
        """Return how many samples fewer there are; negative where there are more."""
        return self.cut - self.pad


@dataclass(frozen=True, slots=True)
class Cut:
    """What is done to both edges."""

    before: Edge
    after: Edge


UNCHANGED = Cut(Edge(0, 0), Edge(0, 0))


def plan(samples: Samples, rate: int, seconds: float) -> Cut:
    """Return how to bring the silence at both edges of (frames, channels) to so many seconds."""
    power, size = frame_power(samples, rate)
    # The last frame may be short, which the mirrored recording has first.
    short = len(power) * size - len(samples)
    return Cut(_edge(power, size, rate, seconds, 0), _edge(power[::-1], size, rate, seconds, short))


def applied(samples: Samples, rate: int, cut: Cut, seed: int) -> Samples:
    """Return (frames, channels) with both edges cut, faded and padded; `seed` fixes the noise."""
    if cut == UNCHANGED:
        return samples
    before, after = cut.before, cut.after
    # Copied: fades must not change the caller's samples.
    kept = samples[before.cut : len(samples) - after.cut].copy()
    ramp = np.sin(np.linspace(0, np.pi / 2, round(FADE * rate), endpoint=False))[:, None] ** 2
    if before.cut:
        kept[: len(ramp)] *= ramp
    if after.cut:
        kept[-len(ramp) :] *= ramp[::-1]
    noise = _background(samples, rate, before.pad + after.pad, seed)
    first, last = noise[: before.pad], noise[before.pad :]
    first[: len(ramp)] *= ramp[: len(first)]
    last[::-1][: len(ramp)] *= ramp[: len(last)]
    return np.concatenate([first, kept, last])


def _edge(power: Array, size: int, rate: int, seconds: float, short: int) -> Edge:
    """Plan the edge before the first frame; the frames begin `short` samples before the recording does."""
    levels = _decibels(power)
    smooth = _decibels(np.convolve(np.pad(power, 1, mode="edge"), np.ones(3) / 3, mode="valid"))
    quiet, loud = np.percentile(levels, [QUIET_PERCENTILE, LOUD_PERCENTILE])
    lead = _steady(smooth, loud)
    rest = levels[lead:]
    onset = lead + int(np.flatnonzero(rest > levels.max() + SILENCE)[0])
    sound = lead + _first_sound(smooth[lead:], onset - lead, levels.max(), quiet)
    margin = round(MARGIN * rate)
    wanted = onset * size - round(seconds * rate)
    start = min(wanted, sound * size - margin)
    is_only_before = bool(lead) and float(np.median(levels[1:lead])) > quiet + LOUDER
    if is_only_before:
        start = max(start, min(lead * size, sound * size - margin))
    cut = max(0, start - short)
    pad = max(0, cut + short - wanted)
    return Edge(cut, pad, onset * size - short - cut + pad)


def _steady(smooth: Array, loud: float) -> int:
    """Return how many frames of steady noise there are before anything else; 0 if it isn't noise."""
    # Without the first frame, which may be short or faded.
    start = smooth[1 : STEADY + 1]
    if len(start) < STEADY:
        return 0
    level = float(np.median(start))
    if level > loud - BELOW:
        return 0
    changes = np.flatnonzero(np.abs(smooth[1:] - level) > VARIES)
    length = int(changes[0]) + 1 if len(changes) else 0
    return length if length > STEADY else 0


def _first_sound(smooth: Array, onset: int, loudest: float, quiet: float) -> int:
    """Return the frame of the first sound that belongs to the onset."""
    lead = smooth[:onset]
    if not len(lead):
        return onset
    threshold = max(min(float(np.percentile(lead, QUIET_PERCENTILE)), quiet) + ABOVE, loudest + FAINT)
    sounds = np.append(np.flatnonzero(lead > threshold), onset)
    gaps = np.flatnonzero(np.diff(sounds) > GAP)
    return int(sounds[gaps[-1] + 1 if len(gaps) else 0])


def _background(samples: Samples, rate: int, count: int, seed: int) -> Samples:
    """Return `count` samples of noise like the quietest frames: their spectrum and level, with random phases."""
    noise = np.zeros((count, samples.shape[1]))
    power, size = frame_power(samples, rate)
    whole = power[: len(samples) // size]
    places = np.argsort(whole, kind="stable")[: max(QUIETEST, len(whole) // 50)]
    level = _decibels(np.array([whole[places].mean()]))[0] if len(places) else DIGITAL
    if not count or level <= DIGITAL or level > np.percentile(_decibels(power), LOUD_PERCENTILE) - BELOW:
        return noise
    frames = np.stack([samples[place * size : (place + 1) * size] for place in places])
    shape = np.sqrt((np.abs(np.fft.rfft(frames * np.hanning(size)[:, None], axis=1)) ** 2).mean(axis=0))
    rng = np.random.default_rng([seed, 1])
    bins = np.linspace(0, 1, count // 2 + 1)
    for channel in range(samples.shape[1]):
        gains = np.interp(bins, np.linspace(0, 1, len(shape)), shape[:, channel])
        sound = np.fft.irfft(np.fft.rfft(rng.standard_normal(count)) * gains, count)
        wanted = float(np.sqrt((frames[:, :, channel] ** 2).mean()))
        noise[:, channel] = sound * wanted / max(float(np.sqrt((sound**2).mean())), 1e-12)
    return noise


def _decibels(power: Array) -> Array:
    return np.asarray(10 * np.log10(np.maximum(power, 1e-12)), dtype=np.float64)

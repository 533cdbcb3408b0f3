"""Trim or pad both edges of a recording to one length of silence, and never into speech or a breath.

What is measured: the level of 10 ms frames, as the audit does. The *onset* is the first frame within 40 dB of the
loudest one. Before it, a fainter *sound* (a breath, a soft attack) is what exceeds the quiet frames by 6 dB and lies
within 60 dB of the loudest frame, in the mean of three frames; sounds with gaps of at most 0.3 s between them belong
together, and to the onset. What lies further away is no part of the utterance: a click, a chair.

What is kept: as many seconds before the onset as wanted, and never less than 50 ms before the first sound. Where the
recording has less, its own background noise continues it: noise with the level and spectrum of its quietest frames
(one in fifty, at least five), or digital silence where these lie below −90 dBFS or speech fills the recording. 5 ms are
faded where something was cut.

Noise before speech: steady noise with which the recording starts (`noise.py`, 0.25 s or more) is background, however
loud. If the recording is more than 5 dB quieter somewhere (2nd percentile of the other frames), the noise is there
before the speech alone: it is cut to the 50 ms next to the first sound, and fades in over these. A sound that is hidden
in such noise can't be told from it.

The end is the mirror image.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from studies.imports.ingest.measure import SILENCE, Samples, frame_power
from studies.imports.ingest.noise import decibels, steady_noise

Array = npt.NDArray[np.float64]
# Seconds kept before the first sound, and of each fade; gain in dB from which noise fades in.
MARGIN, FADE, FADED = 0.05, 0.005, -60.0
# In dB: how far below the loudest frame a sound may lie, and how far above the quiet ones it must lie.
FAINT, ABOVE = -60.0, 6.0
# Frames of 10 ms between two sounds that belong together.
GAP = 30
# In dB: how far a background lies below loud frames, and noise above pauses that don't have it.
BELOW, LOUDER = 10.0, 5.0
# Frames at least, or one in fifty, that stand for the background.
QUIETEST = 5
# dBFS: quieter backgrounds count as digital silence.
DIGITAL = -90.0
QUIET_PERCENTILE, LOUD_PERCENTILE, QUIETEST_PERCENTILE = 10, 95, 2


@dataclass(frozen=True, slots=True)
class Edge:
    """What is done to one edge, in samples: first cut, then add background."""

    cut: int
    pad: int
    # Samples next to the speech that the edge then has: more than are wanted where a breath is kept.
    silence: int = 0
    # Samples of noise that fade in where more of it was cut.
    fade: int = 0

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
    first, last = steady_noise(samples, rate), steady_noise(samples[::-1], rate)
    lead = first.end // size if first else 0
    tail = (last.end + short) // size if last else 0
    quietest = np.percentile(_smooth(power[lead : len(power) - tail]), QUIETEST_PERCENTILE)
    cut_lead, cut_tail = (bool(noise and noise.level > quietest + LOUDER) for noise in (first, last))
    return Cut(
        _edge(power, size, rate, seconds, 0, lead, cut_lead),
        _edge(power[::-1], size, rate, seconds, short, tail, cut_tail),
    )


def applied(samples: Samples, rate: int, cut: Cut, seed: int) -> Samples:
    """Return (frames, channels) with both edges cut, faded and padded; `seed` fixes the noise."""
    if cut == UNCHANGED:
        return samples
    before, after = cut.before, cut.after
    # Copied: fades must not change the caller's samples.
    kept = samples[before.cut : len(samples) - after.cut].copy()
    ramp = _ramp(round(FADE * rate))
    if before.cut:
        kept[: len(ramp)] *= ramp
        kept[: before.fade] *= _noise_ramp(before.fade)
    if after.cut:
        kept[-len(ramp) :] *= ramp[::-1]
        kept[len(kept) - after.fade :] *= _noise_ramp(after.fade)[::-1]
    noise = _background(samples, rate, before.pad + after.pad, seed)
    first, last = noise[: before.pad], noise[before.pad :]
    first[: len(ramp)] *= ramp[: len(first)]
    last[::-1][: len(ramp)] *= ramp[: len(last)]
    return np.concatenate([first, kept, last])


def _ramp(count: int) -> Samples:
    return np.sin(np.linspace(0, np.pi / 2, count, endpoint=False))[:, None] ** 2


def _noise_ramp(count: int) -> Samples:
    """Return gains that rise evenly in dB, so that noise is heard in the last milliseconds only."""
    return np.asarray(10 ** (np.linspace(FADED, 0, count, endpoint=False) / 20))[:, None]


def _edge(power: Array, size: int, rate: int, seconds: float, short: int, lead: int, is_only_before: bool) -> Edge:
    """Plan the edge before the first frame; the frames begin `short` samples before the recording does.

    The first `lead` frames are steady noise, which is cut if it is before the speech alone.
    """
    levels, smooth = decibels(power), _smooth(power)
    quiet = np.percentile(levels, QUIET_PERCENTILE)
    if not (levels[lead:] > levels.max() + SILENCE).any():
        # All that is loud lies in the noise, below the octaves that tell it: a thump.
        lead, is_only_before = 0, False
    onset = lead + int(np.flatnonzero(levels[lead:] > levels.max() + SILENCE)[0])
    sound = lead + _first_sound(smooth[lead:], onset - lead, levels.max(), quiet)
    margin = round(MARGIN * rate)
    wanted = onset * size - round(seconds * rate)
    start = min(wanted, sound * size - margin)
    fade = 0
    if is_only_before:
        noiseless = min(lead * size, sound * size - margin)
        start, fade = max(start, noiseless), max(0, lead * size - max(start, noiseless))
    cut = max(0, start - short)
    pad = max(0, cut + short - wanted)
    return Edge(cut, pad, onset * size - short - cut + pad, fade)


def _smooth(power: Array) -> Array:
    """Return the levels of running means of three frames, in dBFS."""
    return decibels(np.convolve(np.pad(power, 1, mode="edge"), np.ones(3) / 3, mode="valid"))


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
    level = decibels(np.array([whole[places].mean()]))[0] if len(places) else DIGITAL
    if not count or level <= DIGITAL or level > np.percentile(decibels(power), LOUD_PERCENTILE) - BELOW:
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

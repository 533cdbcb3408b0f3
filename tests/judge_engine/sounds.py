"""Clips that a model can tell apart, as samples and as files."""

from __future__ import annotations

import io

import numpy as np
import soundfile

from judge.server.pcm import RATE, Samples


def sound(seconds: float, seed: int = 1, rate: int = RATE) -> Samples:
    """Return a hum with overtones whose pitch glides, and some noise."""
    rng = np.random.default_rng(seed)
    time = np.arange(round(seconds * rate)) / rate
    pitch = 90 + 200 * rng.random() + 20 * np.sin(2 * np.pi * time)
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    wave = sum(np.sin(k * phase) / k for k in range(1, 6)) + 0.1 * rng.standard_normal(len(time))
    return np.asarray(0.1 * wave, dtype=np.float32)


def file(samples: Samples, rate: int = RATE, kind: str = "WAV", subtype: str | None = None) -> bytes:
    """Return samples as the bytes of a file; `kind` and `subtype` are soundfile's names."""
    out = io.BytesIO()
    soundfile.write(out, samples, rate, format=kind, subtype=subtype)
    return out.getvalue()


def wav(seconds: float = 1.0, seed: int = 1) -> bytes:
    """Return a 16-bit WAV file."""
    return file(sound(seconds, seed), subtype="PCM_16")

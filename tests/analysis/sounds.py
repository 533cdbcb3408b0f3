"""Sound that the real model of DNSMOS hears once."""

from __future__ import annotations

import io
from functools import cache
from importlib import import_module

import numpy as np
import soundfile

# The model hears windows of 9 s of the sound repeated: just one of this, and no half period of 220 Hz.
WINDOW = 4.6


def wav(samples: np.ndarray, rate: int = 16_000) -> io.BytesIO:
    """Return a 16-bit WAV file."""
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format="WAV", subtype="PCM_16")
    file.seek(0)
    return file


def tone(seconds: float = 1.0, rate: int = 16_000) -> np.ndarray:
    return 0.3 * np.sin(2 * np.pi * 220 * np.arange(round(seconds * rate)) / rate)


@cache
def heard_once(sound: bytes, rate: int) -> dict[str, float]:
    """Return what the real model says of a sound."""
    return dict(import_module("speechmos.dnsmos").run(np.frombuffer(sound, np.float32), rate))

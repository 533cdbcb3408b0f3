"""Sound that the real model hears once."""

from __future__ import annotations

import io
from functools import cache

import numpy as np
import pytest
import soundfile

from analysis import dnsmos


def wav(samples: np.ndarray, rate: int = 16_000) -> io.BytesIO:
    """Return a 16-bit WAV file."""
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format="WAV", subtype="PCM_16")
    file.seek(0)
    return file


def tone(seconds: float = 1.0, rate: int = 16_000) -> np.ndarray:
    return 0.3 * np.sin(2 * np.pi * 220 * np.arange(round(seconds * rate)) / rate)


@cache
def scored() -> dict[str, float]:
    return dnsmos.score(wav(tone()))


@pytest.fixture
def scores() -> dict[str, float]:
    """Return what the real model says of a second's tone; it is asked once a process."""
    return scored()

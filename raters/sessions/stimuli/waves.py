"""Shared functions of all sounds: ramps, gaps, levels, and WAV files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from studies.imports.ingest.wav import header

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    # (frames, channels), full scale at 1.
    Samples = npt.NDArray[np.float64]

FULL = 32767


def amplitude(level: float) -> float:
    """Return the linear factor of a level in dB."""
    return float(10 ** (level / 20))


def ramped(samples: Samples, frames: int) -> Samples:
    """Return samples with half-cosine ramps of this many frames at both ends."""
    import numpy as np

    rise = 0.5 - 0.5 * np.cos(np.pi * (np.arange(frames) + 0.5) / frames)
    shaped = samples.copy()
    shaped[:frames] *= rise[:, None]
    shaped[-frames:] *= rise[::-1, None]
    return shaped


def joined(parts: Sequence[Samples], gap: int) -> Samples:
    """Return the parts in sequence, separated by this many silent frames."""
    import numpy as np

    silence = np.zeros((gap, parts[0].shape[1]))
    return np.concatenate([piece for part in parts for piece in (silence, part)][1:])


def wav(samples: Samples, rate: int) -> bytes:
    """Return 16-bit PCM in a WAV file; raises `ValueError` if it would clip. Negated samples stay exactly negated."""
    import numpy as np

    if np.abs(samples).max() > 1:
        raise ValueError("These samples would clip.")
    body = np.rint(samples * FULL).astype("<i2").tobytes()
    return header(len(body), rate, samples.shape[1]) + body

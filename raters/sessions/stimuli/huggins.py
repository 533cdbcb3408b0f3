"""Which of three noises contains a tone? It is heard only if each ear gets its own channel.

Milne et al. (2021), doi 10.3758/s13428-020-01514-0: white noise of 1.0 s; in the target, the right channel's phase is
shifted by 180° between 600 Hz − 6 % and 600 Hz + 6 %, which a listener with headphones hears as a faint tone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from raters.sessions.stimuli.waves import amplitude, joined, ramped, wav

if TYPE_CHECKING:
    import numpy as np

    from raters.sessions.stimuli.waves import Samples

RATE = 44100
SECONDS, RAMP, GAP = 1.0, 0.1, 0.5
LOW, HIGH = 564.0, 636.0
# In dB below full scale (RMS).
LEVEL = -23.0
INTERVALS = 3


def noise(rng: np.random.Generator, *, is_target: bool) -> Samples:
    """Return one interval without ramps: (frames, 2), identical in both ears except for the target's band."""
    import numpy as np

    frames = round(RATE * SECONDS)
    left_ear = amplitude(LEVEL) * rng.standard_normal(frames)
    spectrum = np.fft.rfft(left_ear)
    hertz = np.fft.rfftfreq(frames, 1 / RATE)
    spectrum[(hertz >= LOW) & (hertz <= HIGH)] *= -1
    right_ear = np.fft.irfft(spectrum, frames) if is_target else left_ear
    return np.column_stack([left_ear, right_ear])


def trial(target: int, seed: int) -> bytes:
    """Return the WAV of three intervals with the tone at index `target`; the noise depends on the seed."""
    import numpy as np

    rng = np.random.default_rng(seed)
    parts = [ramped(noise(rng, is_target=place == target), round(RATE * RAMP)) for place in range(INTERVALS)]
    return wav(joined(parts, round(RATE * GAP)), RATE)

"""Ways to distort a clip so that it can't pass for a person."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np

from demo.espeak import Samples

with warnings.catch_warnings():
    # pydub warns about ffmpeg, which is not used here, and on some Pythons about a deprecated module.
    warnings.simplefilter("ignore")
    from pydub import AudioSegment

FULL_SCALE = 32767


def cut(samples: Samples, rate: int, milliseconds: int) -> list[AudioSegment]:
    """Return the clip in pieces of this length."""
    data = (samples.clip(-1, 1) * FULL_SCALE).astype("<i2").tobytes()
    return list(AudioSegment(data, frame_rate=rate, sample_width=2, channels=1)[::milliseconds])


def joined(pieces: Sequence[AudioSegment]) -> Samples:
    """Return pieces end to end."""
    return np.array(sum(pieces[1:], pieces[0]).get_array_of_samples(), dtype=np.float64) / FULL_SCALE


def crushed(samples: Samples, rate: int) -> Samples:
    """Hold every tenth sample at three bits: a toy's loudspeaker."""
    held = np.repeat(samples[::10], 10)[: len(samples)]
    return np.round(held / max(float(np.abs(held).max()), 1e-9) * 4) / 4 * 0.5


def chopped(samples: Samples, rate: int) -> Samples:
    """Cut the sound off five times a second."""
    pieces = cut(samples, rate, 100)
    return joined([piece - 120 if number % 2 else piece for number, piece in enumerate(pieces)])


def reversed_(samples: Samples, rate: int) -> Samples:
    """Play every piece of 180 ms backwards."""
    return joined([piece.reverse() for piece in cut(samples, rate, 180)])


def ringing(samples: Samples, rate: int) -> Samples:
    """Multiply by a 90 Hz tone and add an echo shorter than any room."""
    robot = samples * np.sin(2 * np.pi * 90 * np.arange(len(samples)) / rate)
    delay = rate // 100
    robot[delay:] += 0.8 * robot[:-delay]
    return robot


def stuck(samples: Samples, rate: int) -> Samples:
    """Repeat a piece of 120 ms, like a scratched record."""
    pieces = cut(samples, rate, 120)
    return joined([piece * 4 if number % 6 == 5 else piece for number, piece in enumerate(pieces)])


def rushed(samples: Samples, rate: int) -> Samples:
    """Leave it unchanged: this text is spoken on one note, far too fast."""
    return samples


FLAWS: dict[str, Callable[[Samples, int], Samples]] = {
    "crushed": crushed,
    "chopped": chopped,
    "reversed": reversed_,
    "rushed": rushed,
    "ringing": ringing,
    "stuck": stuck,
}

"""Ways to spoil a clip that nobody can take for a person."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from demo.espeak import Samples


def crushed(samples: Samples, rate: int) -> Samples:
    """Hold every tenth sample at three bits: a toy's loudspeaker."""
    held = np.repeat(samples[::10], 10)[: len(samples)]
    return np.round(held / max(float(np.abs(held).max()), 1e-9) * 4) / 4 * 0.5


def chopped(samples: Samples, rate: int) -> Samples:
    """Cut the sound off ten times a second."""
    on = (np.arange(len(samples)) * 10 // rate) % 2 == 0
    return np.where(on, samples, 0.0)


def reversed_(samples: Samples, rate: int) -> Samples:
    """Play every piece of 180 ms backwards."""
    step = rate * 180 // 1000
    return np.concatenate([samples[start : start + step][::-1] for start in range(0, len(samples), step)])


def ringing(samples: Samples, rate: int) -> Samples:
    """Multiply by a 90 Hz tone and add an echo shorter than any room."""
    robot = samples * np.sin(2 * np.pi * 90 * np.arange(len(samples)) / rate)
    delay = rate // 100
    robot[delay:] += 0.8 * robot[:-delay]
    return robot


def stuck(samples: Samples, rate: int) -> Samples:
    """Repeat a piece of 120 ms again and again, like a scratched record."""
    step = rate * 120 // 1000
    pieces = [samples[start : start + step] for start in range(0, len(samples), step)]
    return np.concatenate([piece for number, piece in enumerate(pieces) for _ in range(4 if number % 6 == 5 else 1)])


def rushed(samples: Samples, rate: int) -> Samples:
    """Leave it as it is: this text is spoken on one note, far too fast."""
    return samples


FLAWS: dict[str, Callable[[Samples, int], Samples]] = {
    "crushed": crushed,
    "chopped": chopped,
    "reversed": reversed_,
    "rushed": rushed,
    "ringing": ringing,
    "stuck": stuck,
}

"""Groups of beeps to count: digits that can be entered only after hearing them.

Spoken digits would need recordings in every language. Beeps work in all of them and show the same: sound plays, it is
loud enough, and someone listens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from raters.sessions.stimuli.waves import amplitude, joined, ramped, wav

if TYPE_CHECKING:
    from collections.abc import Sequence

RATE = 16000
HERTZ, BEEP, PAUSE, RAMP = 500.0, 0.16, 0.2, 0.01
FEWEST, MOST = 2, 5
# Seconds between groups: longer than any pause within a group.
GAP = 0.9
LEVEL = -20.0


def groups(counts: Sequence[int], seed: int) -> bytes:
    """Return the WAV of these groups of beeps; its length depends only on the number of groups."""
    import numpy as np

    rng = np.random.default_rng(seed)
    moments = np.arange(round(RATE * BEEP)) / RATE
    step, whole = round(RATE * (BEEP + PAUSE)), round(RATE * (BEEP + PAUSE) * MOST)
    parts = []
    for count in counts:
        part = np.zeros((whole, 1))
        for number in range(count):
            wave = np.sin(2 * np.pi * HERTZ * moments + rng.uniform(0, 2 * np.pi))
            beep = ramped(2**0.5 * amplitude(LEVEL) * wave[:, None], round(RATE * RAMP))
            part[number * step : number * step + len(beep)] = beep
        parts.append(part)
    return wav(joined(parts, round(RATE * GAP)), RATE)

"""Which of three tones is softest? Loudspeakers cancel the foil, headphones do not.

Woods, Siegel, Traer & McDermott (2017), doi 10.3758/s13414-017-1361-2: 200 Hz tones of 1.0 s, 0.1 s ramps, 0.5 s apart;
the target is 6 dB below the standard, the foil is the standard with its channels in opposite polarity.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from raters.sessions.stimuli.waves import amplitude, joined, ramped, wav

if TYPE_CHECKING:
    from collections.abc import Sequence

    from raters.sessions.stimuli.waves import Samples

Kind = Literal["standard", "target", "foil"]
KINDS: tuple[Kind, ...] = ("standard", "target", "foil")
RATE = 22050
HERTZ, SECONDS, RAMP, GAP = 200.0, 1.0, 0.1, 0.5
# RMS level of the standard's plateau, measured in the authors' files, in dB full scale; the target's level relative to
# it, in dB.
LEVEL, TARGET = -17.0, -6.0


def tone(kind: Kind, phase: float) -> Samples:
    """Return one interval: (frames, 2), starting at this phase in radians."""
    import numpy as np

    moments = np.arange(round(RATE * SECONDS)) / RATE
    plateau = math.sqrt(2) * amplitude(LEVEL + (TARGET if kind == "target" else 0.0))
    left_ear = plateau * np.sin(2 * np.pi * HERTZ * moments + phase)
    right_ear = -left_ear if kind == "foil" else left_ear
    return ramped(np.column_stack([left_ear, right_ear]), round(RATE * RAMP))


def trial(order: Sequence[Kind], seed: int) -> bytes:
    """Return the WAV of three intervals in this order; the phase depends on the seed, so that files differ."""
    import numpy as np

    phase = float(np.random.default_rng(seed).uniform(0, 2 * np.pi))
    return wav(joined([tone(kind, phase) for kind in order], round(RATE * GAP)), RATE)

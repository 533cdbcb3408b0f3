"""The sound that a model hears: samples of full scale 1.0, one channel, at one rate."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float32]
RATE = 16_000

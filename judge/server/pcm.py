"""Audio samples as the model hears them: full scale 1.0, mono, a fixed rate."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float32]
RATE = 16_000

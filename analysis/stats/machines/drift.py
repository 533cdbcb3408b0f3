"""What changed from one version of a machine to the next, clip by clip."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from analysis.stats.design import Floats, NotEstimable
from core.text.words import say


@dataclass(frozen=True, slots=True)
class Drift:
    """Mean change of `n` clips with its interval (for clips like these), spread, and how many rose and fell."""

    mean: float
    low: float
    high: float
    sd: float
    rose: int
    fell: int
    n: int


def paired(older: Floats, newer: Floats, *, level: float = 0.95) -> Drift:
    """Compare both values of each clip (n,): t on n − 1 degrees of freedom. Raises NotEstimable below two clips."""
    n = len(older)
    if n < 2:
        raise NotEstimable(say("A change needs two clips or more that both versions have scored."))
    change = newer - older
    mean, sd = float(change.mean()), float(change.std(ddof=1))
    half = float(t.ppf(0.5 + level / 2, n - 1)) * sd / float(np.sqrt(n))
    return Drift(mean, mean - half, mean + half, sd, int((change > 0).sum()), int((change < 0).sum()), n)

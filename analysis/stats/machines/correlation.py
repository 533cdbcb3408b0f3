"""Correlations, and the clips on which two scores differ most."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from analysis.stats.design import Floats, NotEstimable
from analysis.stats.figures import Correlation
from core.text.words import say

LEAST = 3


def correlate(first: Floats, second: Floats) -> Correlation:
    """Correlate `first` and `second`, both (n,). Raises NotEstimable below three pairs or without variance."""
    if len(first) < LEAST:
        raise NotEstimable(say("A correlation needs three pairs of numbers or more."))
    if any(np.ptp(each) == 0 for each in (first, second)):
        raise NotEstimable(say("All values are the same, so there is nothing to correlate."))
    return Correlation(_pearson(first, second), _pearson(rankdata(first), rankdata(second)), len(first))


def disagreement(first: Floats, second: Floats) -> Floats:
    """Return (n,) the place of each thing by `first` less that by `second`, from −1 to 1; ties share their place."""
    places = [(rankdata(each) - 1) / max(1, len(each) - 1) for each in (first, second)]
    difference: Floats = places[0] - places[1]
    return difference


def _pearson(first: Floats, second: Floats) -> float:
    r = np.corrcoef(first, second)[0, 1]
    return float(np.clip(r, -1.0, 1.0))

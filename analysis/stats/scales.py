"""Several scales on the same answers: how they go together."""

from __future__ import annotations

import numpy as np

from analysis.stats.design import Codes, Floats


def within_raters(first: Floats, second: Floats, rater: Codes) -> float | None:
    """Return Pearson's correlation of two scales within raters, pooled over raters; None if a scale doesn't vary.

    All of shape (n,), one element for each answer. Each rater's mean is subtracted from their ratings, so that raters
    who are strict on both scales don't make them alike.
    """
    codes = np.unique(rater, return_inverse=True)[1].reshape(-1)
    centred = []
    for scores in (first, second):
        means = np.bincount(codes, scores) / np.bincount(codes)
        centred.append(scores - means[codes])
    one, other = centred
    spread = float(np.sqrt((one @ one) * (other @ other)))
    return float(one @ other) / spread if spread > 1e-9 else None

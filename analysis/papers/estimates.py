"""Means of a paper's groups with both intervals: the paper's own formula, and the one that holds (rule D1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.stats.design import Design, Floats
from analysis.stats.twoway import Interval, Means, comparisons, intervals, means

if TYPE_CHECKING:
    from pandas import DataFrame

HONEST = "The interval (low, high) counts raters and clips as samples of many; it is the one to publish."
PAPER = (
    "± is the paper's own formula, t · s / √n over all answers. It takes the answers of one rater as independent "
    "and is far too narrow; it stands here for comparison."
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A label's mean in each cell, their unweighted mean with its interval, and the paper's half-width over all."""

    cells: dict[str, float]
    whole: Interval
    half: float | None


def estimates(rows: DataFrame, by: str, *, low: float, high: float) -> dict[str, Estimate]:
    """Return {label: estimate} of `rows` as `joined.rows` returns them, at least one, with cells by column `by`.

    The mean over cells is μ of the HFR paper's Table 1: each benchmark counts alike (rule C2).
    """
    import pandas as pd

    labels, label = np.unique(rows["label"].to_numpy(str), return_inverse=True)
    cells, cell = np.unique(rows[by].to_numpy(str), return_inverse=True)
    both, group = np.unique(label * len(cells) + cell, return_inverse=True)
    # A clip whose text nobody named stands for a text of its own.
    texts = [text or f"\0{clip}" for text, clip in zip(rows["material"], rows["clip"], strict=True)]
    design = Design.of(rows["score"], rows["rater"], label, rows["clip"], texts)
    group_means = means(design, group)
    columns = {"label": label, "rater": design.rater, "piece": design.pieces, "clip": design.clip}
    table = pd.DataFrame(columns).groupby("label").nunique()
    counts = [table[column].to_numpy() for column in ("rater", "piece", "clip")]
    result = {}
    for number, name in enumerate(labels):
        mine = np.flatnonzero(both // len(cells) == number)
        weights = np.zeros(len(both))
        weights[mine] = 1 / len(mine)
        combined = _combined(group_means, weights, *(int(count[number]) for count in counts))
        [whole] = intervals(combined, low=low, high=high)
        scores = design.score[label == number]
        result[str(name)] = Estimate(
            {str(cells[both[index] % len(cells)]): float(group_means.mean[index]) for index in mine},
            whole,
            half_width(scores, design.rater[label == number]),
        )
    return result


def half_width(scores: Floats, raters: Any) -> float | None:
    """Return what the HFR paper prints after ±; None for a single answer."""
    if len(scores) < 2:
        return None
    paper = next(comparison for comparison in comparisons(scores, raters) if comparison.label == "paper")
    return (paper.high - paper.low) / 2


def _combined(group_means: Means, weights: Floats, raters: int, pieces: int, clips: int) -> Means:
    used = np.flatnonzero(weights)
    rater, piece, both = (
        np.array([[weights @ by @ weights]]) for by in (group_means.by_rater, group_means.by_piece, group_means.by_both)
    )
    return Means(
        np.array([weights @ group_means.mean]),
        rater,
        piece,
        both,
        np.array([group_means.ratings[used].sum()]),
        np.array([raters]),
        np.array([pieces]),
        np.array([clips]),
        group_means.scope,
    )

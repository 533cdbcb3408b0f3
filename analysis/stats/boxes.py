"""White and black box: did publishing the texts change the scores?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.stats.design import Codes, Design, Floats, NotEstimable
from analysis.stats.figures import Distance
from analysis.stats.intervals import difference
from analysis.stats.ranking import kendall
from analysis.stats.twoway import Means, means
from core.text.words import say


@dataclass(frozen=True, slots=True)
class Gap:
    """White mean minus black mean, with its interval; None for the reason in `note`, such as under 5 texts in a box.

    The boxes have different texts, so that an interval for these texts only would say nothing of the boxes.
    """

    white: float
    black: float
    gap: float
    low: float | None
    high: float | None
    method: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Boxes:
    """`systems` {system code: gap} for those in both boxes, `overall` their unweighted mean, and rank agreement.

    `ranks` compares the systems' order in both boxes; None below two systems.
    """

    systems: dict[int, Gap]
    overall: Gap
    ranks: Distance | None


def compare(
    design: Design, black: Codes, rng: np.random.Generator, *, low: float, high: float, level: float = 0.95
) -> Boxes:
    """Compare boxes (`black` (n,): 1 black, 0 white) within systems, for scores between `low` and `high`.

    Raises NotEstimable without a system in both boxes.
    """
    both = [system for system in range(design.systems) if len(np.unique(black[design.system == system])) == 2]
    if not both:
        raise NotEstimable(say("No system was heard in both boxes."))
    is_compared = np.isin(design.system, both)
    place = np.searchsorted(both, design.system[is_compared])
    group_means = means(design.where(is_compared), place * 2 + black[is_compared])
    size = len(both)
    rows = np.zeros((size, 2 * size))
    rows[np.arange(size), 2 * np.arange(size)] = 1.0
    rows[np.arange(size), 2 * np.arange(size) + 1] = -1.0
    white, dark = group_means.mean[::2], group_means.mean[1::2]
    return Boxes(
        {system: _gap(group_means, row, low, high, level) for system, row in zip(both, rows, strict=True)},
        _gap(group_means, rows.mean(axis=0), low, high, level),
        kendall(white, dark, rng) if size > 1 else None,
    )


def _gap(group_means: Means, weights: Floats, low: float, high: float, level: float) -> Gap:
    between = difference(group_means, weights, low=low, high=high)
    white, black, gap = between.first.estimate.value, between.second.estimate.value, between.estimate.value
    groups = np.eye(len(weights))[weights != 0]
    if refusal := next(filter(None, map(group_means.refusal, groups)), None):
        return Gap(white, black, gap, None, None, "", str(refusal))
    return Gap(white, black, gap, *between.ends(1 - level), between.estimate.method)

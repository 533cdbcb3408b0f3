"""Figures that the papers print."""

from __future__ import annotations

import pytest

from analysis.stats.scores import wilson


@pytest.mark.parametrize(
    ("total", "wrong", "accuracy", "low", "high"),
    [
        (6914, 550, 92.045, 91.384, 92.660),
        (7472, 961, 87.139, 86.360, 87.879),
        (7477, 803, 89.260, 88.538, 89.942),
        (7218, 693, 90.399, 89.698, 91.057),
        (7519, 1414, 81.194, 80.295, 82.062),
    ],
)
def test_accuracies_of_the_sp_mcqa_papers_table_3_with_wilsons_interval(
    total: int, wrong: int, accuracy: float, low: float, high: float
) -> None:
    share = 1 - wrong / total
    assert 100 * share == pytest.approx(accuracy, abs=0.0006)
    ends = wilson(share, total, level=0.95)
    assert (100 * ends[0], 100 * ends[1]) == (pytest.approx(low, abs=0.001), pytest.approx(high, abs=0.001))

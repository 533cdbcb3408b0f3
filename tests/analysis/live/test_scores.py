"""Means and shares against numbers worked out by hand; `tests.analysis.stats.test_twoway` has their intervals."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.sections.quality.traps import accuracy
from analysis.stats import design
from analysis.stats.figures import Mean
from analysis.stats.scores import mean, mean_of_means, wilson


def of(rows: list[tuple[int, int, float]], cells: list[int] | None = None) -> Mean:
    raters, clips, scores = zip(*rows, strict=True)
    result = mean(
        np.array(raters),
        np.array(clips),
        np.array(scores, dtype=float),
        np.array(cells or [0] * len(rows)),
        low=0.0,
        high=1.0,
    )
    assert result is not None
    return result


def test_hls_is_the_mean_over_ratings_and_not_over_clips() -> None:
    result = of([(1, 1, 1.0), (2, 1, 1.0), (3, 1, 0.5), (1, 2, 0.0)], cells=[0, 0, 1, 1])
    assert result.mean == 0.625
    assert result.clip_mean == pytest.approx((2.5 / 3 + 0) / 2)
    assert result.equal_mean == pytest.approx((1.0 + 0.25) / 2)
    assert (result.ratings, result.raters, result.clips) == (4, 3, 2)


def test_wilson_gives_the_textbook_interval() -> None:
    # Newcombe 1998, table I: 81 of 263 gives .2553 to .3662.
    low, high = wilson(81 / 263, 263, level=0.95)
    assert (low, high) == (pytest.approx(0.2553, abs=1e-4), pytest.approx(0.3662, abs=1e-4))
    assert wilson(0.0, 10, level=0.95)[0] == 0.0
    assert wilson(0.0, 10, level=0.95)[1] == pytest.approx(0.2775, abs=1e-4)


def test_a_score_outside_the_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="between"):
        of([(1, 1, 1.5)])


def test_a_group_without_ratings_has_no_score() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert mean(nothing, nothing, np.zeros(0), nothing, low=0, high=1) is None


def test_the_mean_of_means_gives_each_key_the_same_weight() -> None:
    assert mean_of_means(np.array([1.0, 1.0, 1.0, 0.0]), np.array([7, 7, 7, 9])) == 0.5


def test_trap_accuracy_counts_each_kind() -> None:
    flawed, human = accuracy([("f", True), ("f", False), ("h", True)], ["f", "h"])
    assert (flawed.asked, flawed.right, flawed.share) == (2, 1, 0.5)
    assert human.share == 1.0
    assert accuracy([], ["f"])[0].share is None


def test_labels_are_coded_alike_whether_they_lie_close_together_or_far_apart() -> None:
    rng = np.random.default_rng(4)
    for labels in (rng.integers(-5, 40, 200), rng.integers(0, 10**12, 200), np.array([7]), np.zeros(0, dtype=np.int64)):
        names, codes = design.coded(labels)
        expected, places = np.unique(labels, return_inverse=True)
        assert (names.tolist(), codes.tolist()) == (expected.tolist(), places.tolist())
        assert design.distinct(labels).tolist() == expected.tolist()
    assert design.coded(["b", "a", "b"])[1].tolist() == [1, 0, 1]

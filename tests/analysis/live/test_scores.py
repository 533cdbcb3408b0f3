"""Means and intervals against numbers worked out by hand and by plain code."""

from __future__ import annotations

from math import sqrt
from random import Random

import numpy as np
import pytest
from scipy.stats import t

from analysis.sections.quality.traps import accuracy
from analysis.stats.figures import Mean
from analysis.stats.scores import clustered, mean, mean_of_means, wilson


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


def test_below_ten_raters_or_five_clips_there_is_a_point_and_no_interval() -> None:
    nine = of([(rater, clip, float(rater % 2)) for rater in range(9) for clip in range(6)])
    four = of([(rater, clip, float(rater % 2)) for rater in range(20) for clip in range(4)])
    enough = of([(rater, clip, float(rater % 2)) for rater in range(10) for clip in range(5)])
    assert (nine.low, nine.high, nine.method) == (None, None, "")
    assert (four.low, four.high) == (None, None)
    assert enough.low is not None


def test_the_interval_treats_a_raters_answers_as_belonging_together() -> None:
    rng = Random(5)
    rows = [
        (rater, rng.randrange(40), 1.0 if rng.random() < 0.3 + 0.02 * rater else 0.5 if rng.random() < 0.2 else 0.0)
        for rater in range(20)
        for _ in range(1 + rater % 7)
    ]
    result = of(rows)
    scores: dict[int, list[float]] = {}
    for rater, _, score in rows:
        scores.setdefault(rater, []).append(score)
    everything = [score for _, _, score in rows]
    centre = sum(everything) / len(everything)
    residuals = [sum(score - centre for score in own) for own in scores.values()]
    variance = len(scores) / (len(scores) - 1) * sum(value**2 for value in residuals) / len(everything) ** 2
    half = float(t.ppf(0.975, len(scores) - 1)) * sqrt(variance)
    assert result.method == "cluster"
    assert (result.low, result.high) == (
        pytest.approx(centre - half, abs=1e-10),
        pytest.approx(centre + half, abs=1e-10),
    )


def test_one_rating_a_rater_gives_the_ordinary_t_interval_of_a_mean() -> None:
    # 1 2 3 4 5 6 7 8 9 10: mean 5.5, s = 3.02765, t(.975, 9) = 2.26216.
    low, high = clustered(np.arange(1.0, 11.0), np.arange(10), level=0.95)
    assert (low, high) == (pytest.approx(3.33415, abs=1e-5), pytest.approx(7.66585, abs=1e-5))


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
def test_raters_who_all_agree_still_get_an_interval_with_width_inside_the_scale(score: float) -> None:
    result = of([(rater, clip, score) for rater in range(12) for clip in range(5)])
    assert result.method == "wilson"
    assert result.low is not None
    assert result.high is not None
    assert 0.0 <= result.low <= score <= result.high <= 1.0
    assert result.high - result.low > 0.1


def test_near_the_end_of_the_scale_no_interval_leaves_it() -> None:
    rows = [(rater, clip, 1.0) for rater in range(12) for clip in range(5)]
    rows[0] = (0, 0, 0.0)
    result = of(rows)
    assert result.method == "wilson"
    assert result.high is not None
    assert result.high <= 1.0


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

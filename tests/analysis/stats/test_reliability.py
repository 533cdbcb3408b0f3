"""Reliability of means, corrected means, single raters and texts that decide, and the course of a rater's answers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import linregress, ttest_1samp

from analysis.stats import rater_signs, reliability
from analysis.stats.design import Design, Floats, NotEstimable
from tests.analysis.stats.textbook import long


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_icc_knows_a_complete_table() -> None:
    score, unit, rater = long("judges")
    found = reliability.icc(score, rater, unit)
    assert (found.clips, found.raters, found.k, found.is_complete) == (6, 4, pytest.approx(4), True)


def test_in_an_incomplete_table_icc_is_that_of_the_variances_and_the_harmonic_mean_of_raters() -> None:
    """SDs of 300 clips, 40 raters and chance .7, .4 and .5; half of the clips have 4 raters and half 12, so k = 6."""
    draw = rng(5)
    clip = np.concatenate([np.repeat(np.arange(150), 4), np.repeat(np.arange(150, 300), 12)])
    rater = np.concatenate([draw.choice(40, 4 if at < 150 else 12, replace=False) for at in range(300)])
    score = draw.normal(0, 0.7, 300)[clip] + draw.normal(0, 0.4, 40)[rater] + draw.normal(0, 0.5, len(clip))
    found = reliability.icc(score, rater, clip)
    assert (round(found.k, 9), found.is_complete) == (6, False)
    assert found.mean == pytest.approx(0.49 / (0.49 + 0.41 / 6), abs=0.03)
    assert found.single == pytest.approx(0.49 / 0.9, abs=0.06)


def test_clips_with_one_rating_each_have_no_icc() -> None:
    with pytest.raises(NotEstimable, match="No clip has two ratings"):
        reliability.icc(np.array([1.0, 2, 3]), np.array([0, 1, 2]), np.array([0, 1, 2]))


def test_corrected_means_are_at_the_maximum_of_p910s_likelihood() -> None:
    """At them the log-likelihood, differentiated by SciPy over all scores, biases and log SDs, has no slope."""
    draw = rng(8)
    noise = draw.normal(0, 1, (20, 24)) * np.linspace(0.4, 1.2, 24)
    table = draw.normal(3, 1, 20)[:, None] + draw.normal(0, 0.5, 24) + noise

    def loss(point: Floats) -> float:
        score, bias, log_sd = np.split(point, [20, 44])
        residual = (table - score[:, None] - bias) / np.exp(log_sd)
        return float((0.5 * residual**2 + log_sd).sum())

    score, bias, spread = reliability.corrected(table)
    assert np.abs(approx_fprime(np.concatenate([score, bias, np.log(spread)]), loss, 1e-6)).max() < 0.01
    raw = np.concatenate([table.mean(axis=1), np.zeros(24), np.log(spread)])
    assert np.abs(approx_fprime(raw, loss, 1e-6)).max() > 1
    assert score.mean() == pytest.approx(table.mean())


def test_a_careless_rater_moves_corrected_means_less_than_raw_ones() -> None:
    draw = rng(3)
    truth = np.linspace(1, 5, 30)
    table = truth[:, None] + draw.normal(0, 0.3, (30, 16))
    table[:, :3] = draw.permuted(np.tile(truth, (3, 1)), axis=1).T
    raw, corrected = (np.abs(each - truth).mean() for each in (table.mean(axis=1), reliability.corrected(table)[0]))
    assert corrected < raw / 2


def test_a_rater_who_would_outweigh_all_others_leaves_no_corrected_means() -> None:
    table = rng(2).normal(3, 1, (6, 5))
    with pytest.raises(NotEstimable, match="outweigh"):
        reliability.corrected(table)


def test_the_rater_who_decides_the_order_is_found() -> None:
    """Means are 2.75 and 3; without rater 3 they are 3 and 2.67, and without rater 0 both are 3."""
    score = [2, 3, 4, 2, 3, 2, 3, 4]
    design = Design.of(score, [0, 2, 1, 3, 0, 1, 2, 3], list("aaaabbbb"))
    assert [design.score[design.system == at].mean() for at in (0, 1)] == [2.75, 3]
    found, tried = reliability.reordering(design, design.rater)
    assert (found, tried) == ([0, 3], 4)


def test_a_rater_with_all_ratings_of_a_system_is_not_left_out() -> None:
    design = Design.of([1, 2, 3, 4], [0, 1, 1, 1], list("aabb"))
    assert reliability.reordering(design, design.rater) == ([], 1)


def test_repeats_and_runs_are_counted_within_sessions() -> None:
    """Session 1: 1 1 1 2 2 1; session 2: 1 1 3 3 3 3. Of 10 followers 7 repeat; the longest run is 4."""
    answer = np.array([1, 1, 1, 2, 2, 1, 1, 1, 3, 3, 3, 3])
    [found] = rater_signs.repeats(answer, np.full(12, 9), np.repeat([1, 2], 6))
    assert (found.rater, found.answers, found.longest) == (9, 12, 4)
    assert found.share == pytest.approx(7 / 10)
    assert rater_signs.repeats(answer[:9], np.full(9, 9), np.ones(9, dtype=np.int64)) == []


def test_only_values_beyond_the_outer_fence_are_far_out() -> None:
    """Quartiles of 1 to 9 and one more value are 3.25 and 7.75: the fence is at 21.25."""
    assert list(rater_signs.far_out(np.array([*range(1, 10), 21.0]))) == [False] * 10
    assert list(rater_signs.far_out(np.array([*range(1, 10), 22.0]))) == [False] * 9 + [True]


def test_a_raters_slope_is_that_of_least_squares_without_unknown_values() -> None:
    draw = rng(4)
    place = np.arange(1.0, 21)
    value = 5 - 0.2 * place + draw.normal(0, 1, 20)
    value[3] = np.nan
    [found] = rater_signs.slopes(value, place, np.zeros(20, dtype=int), np.zeros(20, dtype=int))
    theirs = linregress(place[~np.isnan(value)], value[~np.isnan(value)])
    assert (found.answers, found.df) == (19, 17)
    assert [found.value, found.error] == pytest.approx([theirs.slope, theirs.stderr])


def test_sessions_have_levels_of_their_own() -> None:
    """Within both sessions the value grows by 1 a place; the second one starts 50 lower."""
    place = np.tile(np.arange(1.0, 7), 2)
    value = place - np.repeat([0.0, 50.0], 6)
    [found] = rater_signs.slopes(value, place, np.zeros(12, dtype=int), np.repeat([0, 1], 6))
    assert (round(found.value, 9), found.df) == (1, 9)


def test_the_mean_slope_has_the_interval_of_t_over_raters() -> None:
    values = [0.1, -0.3, 0.2, 0.5, 0.0, 0.4]
    found = [rater_signs.Slope(at, 10, value, 0.1, 8) for at, value in enumerate(values)]
    theirs = ttest_1samp(values, 0).confidence_interval(0.95)
    assert rater_signs.mean_slope(found) == pytest.approx((np.mean(values), theirs.low, theirs.high))
    assert rater_signs.mean_slope(found[:4]) is None


def test_raters_apart_are_beyond_t_with_bonferronis_correction() -> None:
    """With 5 raters t has 4 degrees of freedom and is 4.60 at .05 / 5; slopes are 0 and one of 1: they have no MAD."""

    def slopes(error: float) -> list[rater_signs.Slope]:
        return [rater_signs.Slope(at, 10, float(at == 3), error if at == 3 else 9, 8) for at in range(5)]

    assert [each.rater for each in rater_signs.apart(slopes(1 / 4.7))] == [3]
    assert rater_signs.apart(slopes(1 / 4.5)) == []


def answers(draw: np.random.Generator, spread: float, planted: float = 0.0) -> list[rater_signs.Slope]:
    """Return slopes of 20 raters with 16 answers of SD 1; raters' own slopes have SD `spread`, rater 0 has more."""
    own = draw.normal(0, spread, 20) + planted * (np.arange(20) == 0)
    place, rater = np.tile(np.arange(16.0), 20), np.repeat(np.arange(20), 16)
    return rater_signs.slopes(own[rater] * place + draw.normal(0, 1, 320), place, rater, rater)


def test_raters_with_slopes_of_their_own_are_rarely_apart() -> None:
    """Slopes have an error of .054, and an SD between raters of up to three times that."""
    for spread in (0.0, 0.054, 0.16):
        studies = [rater_signs.apart(answers(rng(seed), spread)) for seed in range(100)]
        assert np.mean([bool(each) for each in studies]) <= 0.1


def test_a_rater_who_slows_down_much_more_than_the_others_differ_is_apart() -> None:
    for seed in range(20):
        assert [each.rater for each in rater_signs.apart(answers(rng(seed), 0.05, planted=1.0))] == [0]


def test_raters_whose_time_hardly_changes_are_not_apart_where_the_others_vary() -> None:
    """Three raters with a slope near 0 and hardly any error among raters with slopes from −.2 to .1."""
    values = [-0.2, -0.18, -0.15, -0.12, -0.1, -0.1, -0.08, -0.05, 0.0, 0.01, 0.02, 0.1]
    found = [rater_signs.Slope(at, 16, each, 0.01 if abs(each) < 0.03 else 0.06, 14) for at, each in enumerate(values)]
    assert rater_signs.apart(found) == []

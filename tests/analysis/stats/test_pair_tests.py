"""Tests and effect sizes next to the comparisons, against SciPy, R, statsmodels and examples by hand (rule D7)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import permutation_test, t
from statsmodels.discrete.discrete_model import Logit

from analysis.stats.design import Design
from analysis.stats.intervals import difference, pair
from analysis.stats.pair_tests import (
    FLIPS,
    differences,
    equivalence,
    odds_ratio,
    pooled_sd,
    sign_flips,
    wilcoxon,
)
from analysis.stats.twoway import means

NAN = float("nan")
WITHOUT_TIES = np.array([0.31, -0.12, 0.55, 0.08, -0.27, 0.64, 0.19, 0.43, -0.05, 0.72, 0.36])
WITH_TIES = np.array([0.5, 0.5, -0.25, 0, 1, 0.75, -0.5, 0.25, 0.5, 1, 0, 0.75])


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def rated(first: float, second: float, raters: int = 20, texts: int = 8, seed: int = 4) -> Design:
    """Return five-point ratings of two systems by all raters on shared texts."""
    draw = rng(seed)
    rater, system, text = (column.ravel() for column in np.indices((raters, 2, texts)))
    score = np.array([first, second])[system] + draw.normal(0, 0.4, raters)[rater] + draw.normal(0, 0.3, texts)[text]
    score = np.clip(np.round(score + draw.normal(0, 0.6, len(rater))), 1, 5)
    return Design.of(score, rater, system, system * texts + text, text)


def test_a_difference_is_between_means_and_each_rater_counts_once() -> None:
    """Rater 0: (2 + 4 + 3) / 3 − 2 = 1; rater 1: 5 − (1 + 2) / 2 = 3.5; rater 2 never rated the second system."""
    design = Design.of([2, 4, 3, 2, 5, 1, 2, 4], [0, 0, 0, 0, 1, 1, 1, 2], list("aaababba"))
    found = differences(design, design.rater, [(0, 1), (1, 0)])
    assert found[:, 0] == pytest.approx([1, 3.5, NAN], nan_ok=True)
    assert found[:, 1] == pytest.approx([-1, -3.5, NAN], nan_ok=True)


def test_few_differences_have_all_their_signs_flipped() -> None:
    """Of 2^5 flips of 1, 2, 3, 4, −1, |Σ| is 11 once, 9 twice (either 1 is negative), and so are their mirrors."""
    [found] = sign_flips(np.array([[1.0], [2.0], [3.0], [4.0], [-1.0], [NAN]]), rng())
    assert found is not None
    assert (found.n, found.p, found.is_exact) == (5, 6 / 32, True)


def test_exact_flips_are_those_of_scipy() -> None:
    values = rng(3).normal(0.4, 1, (12, 3))
    for column, found in zip(values.T, sign_flips(values, rng()), strict=True):
        theirs = permutation_test((column,), np.mean, permutation_type="samples", n_resamples=2**12)
        assert found is not None
        assert found.p == pytest.approx(theirs.pvalue)


def test_many_differences_have_signs_drawn_by_the_seed_and_p_near_that_of_scipy() -> None:
    values = np.column_stack([rng(3).normal(0.3, 1, 40), rng(5).normal(5, 1, 40)])
    [found, clear] = sign_flips(values, rng(8))
    assert sign_flips(values, rng(8)) == (found, clear)
    assert sign_flips(values, rng(9))[0] != found
    theirs = permutation_test((values[:, 0],), np.mean, permutation_type="samples", n_resamples=99_999, rng=rng(2))
    assert found is not None
    assert clear is not None
    assert found.p == pytest.approx(theirs.pvalue, abs=0.015)
    assert (clear.p, clear.is_exact) == (1 / (1 + FLIPS), False)


def test_flips_of_equal_systems_err_as_often_as_promised() -> None:
    """Exact p of 400 samples of 8 differences each: at most 5 % are below .05, up to chance (.05 ± 3 · .011)."""
    found = sign_flips(rng(6).normal(0, 1, (8, 400)), rng())
    assert 0.01 < np.mean([each is not None and each.p < 0.05 for each in found]) < 0.083


def test_below_five_differences_there_is_no_test() -> None:
    assert sign_flips(np.ones((4, 1)), rng()) == (None,)
    assert wilcoxon(np.array([1.0, 2, 3, 4, 0, NAN])) is None


def test_differences_that_are_equal_but_for_rounding_are_ties() -> None:
    exact = np.array([0.5, 0.5, 0.5, 0.25, -0.25, 1.0, 0.0])
    noisy = exact + np.array([1, -1, 2, 1, -1, 0, 1]) * 1e-16
    assert wilcoxon(noisy) == wilcoxon(exact)


def test_wilcoxon_is_that_of_r() -> None:
    """R 4.2.2, stats: `wilcox.test(x)`, and `wilcox.test(y, exact = FALSE, correct = FALSE)` with ties and zeros."""
    exact, approximate = wilcoxon(np.append(WITHOUT_TIES, NAN)), wilcoxon(WITH_TIES)
    assert exact is not None
    assert approximate is not None
    assert (exact.n, exact.is_exact) == (11, True)
    assert exact.p == pytest.approx(0.0322265625)
    assert (approximate.n, approximate.is_exact) == (10, False)
    assert approximate.p == pytest.approx(0.0270898943455)


@pytest.mark.parametrize(("second", "is_equivalent"), [(3.05, True), (3.9, False)])
def test_equivalence_is_the_larger_of_two_one_sided_tests_of_the_comparisons_own_error(
    second: float, is_equivalent: bool
) -> None:
    group_means = means(rated(3.1, second, raters=40, texts=30))
    between = difference(group_means, pair(2, 0, 1), low=1, high=5)
    own, margin = between.estimate, 0.35
    p = equivalence(between, margin)
    assert p == pytest.approx(
        max(t.sf((own.value + margin) / own.error, own.df), t.cdf((own.value - margin) / own.error, own.df))
    )
    low, high = between.ends(0.05)
    assert (p < 0.025) == (-margin < low and high < margin) == is_equivalent


def test_near_an_end_of_the_scale_equivalence_agrees_with_the_interval_of_both_systems() -> None:
    rater, system, text = (column.ravel() for column in np.indices((30, 2, 40)))
    score = (rng(2).random(len(rater)) > np.array([0.001, 0.004])[system]).astype(float)
    between = difference(means(Design.of(score, rater, system, system * 40 + text, text)), pair(2, 0, 1), low=0, high=1)
    assert between.is_from_parts
    p = equivalence(between, 0.03)
    low, high = between.ends(2 * p)
    assert max(-low, high) == pytest.approx(0.03, abs=1e-6)


def test_the_sd_of_one_rating_is_pooled_over_both_systems() -> None:
    """Squares 2 and 8 over 2 + 2 degrees of freedom."""
    design = Design.of([1, 2, 3, 2, 4, 6], range(6), list("aaabbb"))
    assert pooled_sd(design, 0, 1) == pytest.approx(np.sqrt(2.5))
    assert pooled_sd(Design.of([1, 1, 2, 2], range(4), list("aabb")), 0, 1) is None


def test_the_odds_ratio_and_its_error_are_those_of_a_logistic_regression_clustered_by_rater() -> None:
    """statsmodels 0.15 `Logit`, cov_type "cluster", with its small-sample factor replaced by that of one rater deleted.

    In a balanced design the latter is (G / (G − 1))² on sums over G raters.
    """
    raters, each = 25, 8
    rater, system, _trial = (column.ravel() for column in np.indices((raters, 2, each)))
    draw = rng(7)
    chance = 1 / (1 + np.exp(-(np.array([0.6, -0.3])[system] + draw.normal(0, 1, raters)[rater])))
    score = (draw.random(len(rater)) < chance).astype(float)
    fit = Logit(score, np.column_stack([np.ones(len(score)), system == 0])).fit(
        disp=0, cov_type="cluster", cov_kwds={"groups": rater, "use_correction": False}
    )
    found = odds_ratio(means(Design.of(score, rater, system)), 0, 1, low=0, high=1)
    assert found is not None
    assert found[0] == pytest.approx(np.exp(fit.params[1]), rel=1e-6)
    reach = t.isf(0.025, raters - 1) * fit.bse[1] * raters / (raters - 1)
    assert np.log(found[1:]) == pytest.approx([fit.params[1] - reach, fit.params[1] + reach], rel=1e-4)


def test_a_share_of_0_or_100_percent_has_no_odds_ratio() -> None:
    group_means = means(Design.of([1, 1, 1, 0, 1, 0], [0, 1, 2, 0, 1, 2], list("aaabbb")))
    assert odds_ratio(group_means, 0, 1, low=0, high=1) is None

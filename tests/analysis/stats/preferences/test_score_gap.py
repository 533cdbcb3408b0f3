"""Differences of scores between two systems with very few raters, and how often nothing is found in nothing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, permutation_test, ttest_1samp

from analysis.stats.design import Design
from analysis.stats.intervals import interval
from analysis.stats.preferences.answers import Preferences
from analysis.stats.preferences.duel import Rule, duel, score_gap
from analysis.stats.scores import wilson
from analysis.stats.twoway import means


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def crossed(raters: int, texts: int) -> tuple[np.ndarray, np.ndarray]:
    rater, text = np.indices((raters, texts))
    return rater.ravel(), text.ravel()


def test_one_rater_s_differences_count_by_their_sign() -> None:
    share = score_gap([7] * 12, range(12), [1, 2, 1, 1, 3, 1, 1, 2, -1, -4, 0, 0], 4.0, rng())
    assert (share.rule, share.texts, share.value) == (Rule.ONE_RATER, 10, 0.8)
    assert (share.low, share.high) == wilson(0.8, 10, level=0.95)
    assert share.p == pytest.approx(binomtest(8, 10).pvalue)


def test_few_raters_get_t_and_sign_flips_of_the_texts_means() -> None:
    rater, text = crossed(3, 9)
    gap = np.round(rng(4).normal(0.6, 1.2, 27))
    by_text = np.array([gap[text == each].mean() for each in range(9)])
    share, reference = score_gap(rater, text, gap, 4.0, rng()), ttest_1samp(by_text, 0)
    assert (share.rule, share.value) == (Rule.FEW_RATERS, pytest.approx(by_text.mean()))
    assert (share.low, share.high) == pytest.approx(reference.confidence_interval(0.95))
    assert share.p == pytest.approx(reference.pvalue, abs=1e-6)
    exact = permutation_test((by_text,), np.mean, permutation_type="samples", n_resamples=512)
    assert share.p_flips == pytest.approx(exact.pvalue)


def test_from_five_raters_the_default_interval_holds() -> None:
    rater, text = crossed(6, 8)
    gap = np.round(rng(2).normal(0.4, 1.5, 48))
    share = score_gap(rater, text, gap, 4.0, rng())
    default = interval(means(Design.of(gap, rater, np.zeros(48), text=text)), np.ones(1), low=-4.0, high=4.0)
    assert share.rule is Rule.TWO_WAY
    assert (share.value, share.low, share.high) == pytest.approx((default.mean, default.low, default.high))


def test_fewer_than_five_texts_give_counts_only() -> None:
    assert score_gap(*crossed(3, 4), np.ones(12), 4.0, rng()).rule is Rule.COUNTS


@pytest.mark.parametrize("raters", [1, 4])
@pytest.mark.parametrize("scored", [False, True])
def test_nothing_is_found_in_nothing_more_often_than_said(raters: int, scored: bool) -> None:
    """Of 200 tests of 20 texts without a difference, at most .08 have p < .05; texts differ, and listeners share it."""
    draw, found = rng(11), 0
    rater, text = crossed(raters, 20)
    for _ in range(200):
        felt = draw.normal(0, 1, 20)[text] + draw.normal(0, 1, len(text))
        if scored:
            share = score_gap(rater, text, np.round(np.clip(felt, -4, 4)), 4.0, draw)
        else:
            ab = np.full(len(text), "a"), np.full(len(text), "b")
            share = duel(Preferences.of(rater, text, *ab, np.where(felt > 0, "first", "second")), draw).share
        assert share.p is not None
        found += share.p < 0.05
    assert found <= 0.08 * 200

"""Sensitivity, bias and AUC (rule D5)."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.detection import detect, per_rater, rates


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def answers(hits: int, misses: int, alarms: int, rejections: int) -> tuple[np.ndarray, np.ndarray]:
    counts = [hits, misses, alarms, rejections]
    return np.repeat([1.0, 0.0, 1.0, 0.0], counts), np.repeat([True, True, False, False], counts)


def test_the_textbooks_rates() -> None:
    # Stanislaw and Todorov 1999: hits .8, false alarms .4.
    assert rates(0.8, 0.4) == pytest.approx((1.095, -0.294, 0.724), abs=0.001)


def test_rates_are_always_corrected_so_that_perfect_raters_stay_finite() -> None:
    scores, human = answers(10, 0, 0, 10)
    found = detect(scores, human, np.zeros(20, dtype=int), rng(), high=1.0)
    assert found is not None
    assert found.d_prime == pytest.approx(rates(10.5 / 11, 0.5 / 11)[0])
    assert (found.auc, found.criterion) == (1.0, pytest.approx(0.0))
    assert found.d_prime_interval is None


def test_unclear_is_no_hit_but_counts_for_auc() -> None:
    scores, human = np.array([1.0, 0.5, 0.5, 0.0]), np.array([True, True, False, False])
    found = detect(scores, human, np.zeros(4, dtype=int), rng(), high=1.0)
    assert found is not None
    assert found.d_prime == pytest.approx(rates(1.5 / 3, 0.5 / 3)[0])
    assert found.auc == pytest.approx((1 + 1 + 0.5 + 1) / 4)
    assert (found.human, found.synthetic) == (2, 2)


def test_the_interval_counts_raters() -> None:
    own = rng()
    rater, human = np.repeat(np.arange(30), 40), np.tile([True, False], 600)
    scores = (own.random(1200) < np.where(human, 0.8, 0.4)).astype(float)
    found = detect(scores, human, rater, rng(), high=1.0)
    assert found is not None
    assert found.d_prime_interval is not None
    assert found.auc_interval is not None
    assert found.d_prime_interval[0] < 1.095 < found.d_prime_interval[1]
    assert found.auc_interval[0] < 0.7 < found.auc_interval[1]


def test_without_human_recordings_there_is_nothing_to_detect() -> None:
    assert detect(np.ones(3), np.zeros(3, dtype=bool), np.zeros(3, dtype=int), rng(), high=1.0) is None
    nothing = np.zeros(0)
    assert detect(nothing, nothing.astype(bool), nothing.astype(int), rng(), high=1.0) is None


def test_a_raters_own_d_prime_needs_twenty_answers_of_each_kind() -> None:
    first, second = answers(16, 4, 8, 12), answers(16, 4, 8, 11)
    scores, human = (np.concatenate(pair) for pair in zip(first, second, strict=True))
    found = per_rater(scores, human, np.repeat([3, 5], [40, 39]), high=1.0)
    assert found == {3: pytest.approx(rates(16.5 / 21, 8.5 / 21)[0]), 5: None}

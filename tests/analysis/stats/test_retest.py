"""Test–retest figures against textbook formulas, and intervals over raters."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from analysis.stats import reliability, retest


def ratings(seed: int = 1, raters: int = 20, each: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return first and second ratings from 1 to 5, and their raters."""
    rng = np.random.default_rng(seed)
    true = rng.normal(3, 1, raters * each)
    first, again = (np.clip(np.round(true + rng.normal(shift, 0.7, len(true))), 1, 5) for shift in (0, 0.3))
    return first, again, np.repeat(np.arange(raters), each)


def test_icc_by_hand() -> None:
    # Rows 1–2, 3–3, 5–4: mean squares of rows 4.5, of columns 0, of error 0.5.
    first, again = np.array([1.0, 3, 5]), np.array([2.0, 3, 4])
    found = retest.icc(first, again, np.array([1, 2, 3]))
    assert found is not None
    assert found.value == pytest.approx((4.5 - 0.5) / (4.5 + 0.5 + 2 * (0 - 0.5) / 3))


@pytest.mark.parametrize("seed", range(5))
def test_icc_is_that_of_a_table_of_two_columns(seed: int) -> None:
    first, again, rater = ratings(seed)
    pair, occasion = np.tile(np.arange(len(rater)), 2), np.repeat([0, 1], len(rater))
    of_table = reliability.icc(np.concatenate([first, again]), occasion, pair).single
    found = retest.icc(first + 1000, again + 1000, rater)
    assert found is not None
    assert found.value == pytest.approx(of_table, abs=1e-4)


def test_a_shift_lowers_absolute_agreement() -> None:
    first, _again, rater = ratings()
    same, shifted = retest.icc(first, first, rater), retest.icc(first, first + 1, rater)
    assert same is not None
    assert shifted is not None
    assert same.value == pytest.approx(1)
    assert shifted.value < 0.8
    assert retest.difference(first, first + 1, rater).value == 1


@pytest.mark.parametrize("seed", range(5))
def test_kappas_are_those_of_scikit_learn(seed: int) -> None:
    first, again, rater = ratings(seed)
    weighted = retest.weighted_kappa(first, again, rater)
    plain = retest.kappa(first.astype(int), again.astype(int), rater)
    assert weighted is not None
    assert plain is not None
    assert weighted.value == pytest.approx(cohen_kappa_score(first, again, weights="quadratic"))
    assert plain.value == pytest.approx(cohen_kappa_score(first, again))


def test_what_is_not_defined_is_none() -> None:
    same, rater = np.full(6, 3.0), np.arange(6)
    assert retest.icc(same, same, rater) is None
    assert retest.weighted_kappa(same, same, rater) is None
    assert retest.kappa(same.astype(int), same.astype(int), rater) is None
    assert retest.icc(same[:1], same[:1], rater[:1]) is None
    # One rater, or a perfect agreement, has no interval.
    first, again, _rater = ratings()
    one = retest.icc(first, again, np.zeros(len(first), int))
    perfect = retest.icc(first, first, rater=np.arange(len(first)))
    assert one is not None
    assert perfect is not None
    assert (one.low, one.high, perfect.low, perfect.high) == (None,) * 4


def test_intervals_count_raters_and_not_ratings() -> None:
    first, again, rater = ratings()
    once = retest.icc(first, again, rater)
    copied = retest.icc(np.tile(first, 4), np.tile(again, 4), np.tile(rater, 4))
    assert once is not None
    assert copied is not None
    assert once.low is not None
    assert once.high is not None
    assert copied.low == pytest.approx(once.low, abs=0.02)
    assert copied.high == pytest.approx(once.high, abs=0.02)


def test_intervals_cover_the_planted_reliability() -> None:
    """Ratings have variance 1 and error .25 (a rater's own share of it); the interval covers .8 about 95 % of times."""
    rng = np.random.default_rng(5)
    covered = []
    for _study in range(300):
        rater = np.repeat(np.arange(20), 4)
        # Raters differ in how exactly they answer.
        spread = np.sqrt(rng.uniform(0.05, 0.45, 20))[rater]
        true = rng.normal(0, 1, len(rater))
        first, again = (true + spread * rng.normal(0, 1, len(rater)) for _time in range(2))
        found = retest.icc(first, again, rater)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        covered.append(found.low <= 0.8 <= found.high)
    assert 0.91 <= np.mean(covered) <= 0.99

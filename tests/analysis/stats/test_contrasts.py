"""All pairs, tiers, ranks and the comparison with human speech (rules D3 and D7)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import studentized_range

from analysis.stats.contrasts import against, all_pairs, joint, letters, of_means, ranks, tiers
from analysis.stats.twoway import means
from tests.analysis.stats.listeners import ATT, Crowd


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_simultaneous_intervals_of_equal_groups_are_tukeys() -> None:
    groups, df = 5, 40.0
    found = all_pairs(np.zeros(groups), np.eye(groups), np.full(groups, df), rng())
    tukey = studentized_range.ppf(0.95, groups, df)
    # Tukey's q is the range over one SD; a contrast's SD is √2 of it.
    assert found[0].high_all == pytest.approx(tukey, rel=0.02)
    assert found[0].high == pytest.approx(2.0211 * np.sqrt(2), abs=1e-3)
    assert len(found) == 10


def test_a_difference_as_large_as_tukeys_has_an_adjusted_p_of_five_percent() -> None:
    tukey = studentized_range.ppf(0.95, 3, 30)
    found = all_pairs(np.array([tukey, 0.0, 0.0]), np.eye(3), np.full(3, 30.0), rng())
    assert found[0].p == pytest.approx(0.05, abs=0.006)
    assert found[2].p == 1.0


def test_clear_differences_are_found_and_close_systems_share_a_tier() -> None:
    found = means(Crowd(hls=(0.4, 0.4, 0.27, 0.22, 0.13)).skewed(20_000, 857, 400, rng(2)))
    pairs = of_means(found, rng())
    told = letters(found.mean, pairs)
    assert set(told[0]) & set(told[1])
    assert not set(told[0]) & set(told[4])
    first = pairs[0]
    assert first.difference == pytest.approx(found.mean[0] - found.mean[1])
    assert first.error**2 == pytest.approx(found.variance(np.array([1.0, -1, 0, 0, 0]))[0])
    assert first.high_all - first.low_all > first.high - first.low


def test_tiers_may_overlap() -> None:
    apart = {(0, 2)}
    assert tiers(np.array([0.6, 0.5, 0.4]), lambda a, b: (a, b) in apart or (b, a) in apart) == ("a", "ab", "b")


@given(
    scores=st.lists(st.floats(0, 1), min_size=2, max_size=7, unique=True),
    pattern=st.integers(0, 2**21 - 1),
)
@settings(max_examples=100, deadline=None)
def test_two_systems_share_a_letter_exactly_when_they_do_not_differ(scores: list[float], pattern: int) -> None:
    pairs = list(combinations(range(len(scores)), 2))
    apart = {frozenset(pair) for at, pair in enumerate(pairs) if pattern >> at & 1}
    told = tiers(np.array(scores), lambda a, b: frozenset((a, b)) in apart)
    for first, second in pairs:
        assert bool(set(told[first]) & set(told[second])) == (frozenset((first, second)) not in apart)
    assert "a" in told[int(np.argmax(scores))]


def test_rank_probabilities_come_from_joint_draws() -> None:
    found = ranks(np.array([[3.0, 2.0, 1.0], [2.0, 3.0, 1.0], [3.0, 2.0, 1.0], [3.0, 2.0, 1.0]]))
    assert found.tolist() == [[0.75, 0.25, 0.0], [0.25, 0.75, 0.0], [0.0, 0.0, 1.0]]


def test_draws_without_a_posterior_have_the_covariance_asked_for() -> None:
    covariance = np.array([[1.0, 0.6], [0.6, 2.0]])
    draws = joint(np.array([1.0, -1.0]), covariance, rng(), draws=40_000)
    assert np.cov(draws.T) == pytest.approx(covariance, abs=0.05)
    assert draws.mean(axis=0) == pytest.approx([1, -1], abs=0.03)
    assert ranks(draws).sum(axis=1) == pytest.approx([1, 1])


@pytest.mark.parametrize(
    ("system", "error", "verdict"),
    [(0.78, 0.01, "non_inferior"), (0.78, 0.06, "undecided"), (0.50, 0.01, "inferior"), (0.90, 0.01, "non_inferior")],
)
@pytest.mark.parametrize("human", [0, 1])
def test_non_inferiority_needs_the_whole_interval_above_the_margin(
    system: float, error: float, verdict: str, human: int
) -> None:
    score = np.array([system, 0.8]) if human else np.array([0.8, system])
    pairs = all_pairs(score, np.eye(2) * error**2 / 2, np.full(2, 500.0), rng())
    found = against(human, pairs, 0.05)
    assert [each.verdict for each in found] == [verdict]
    assert found[0].difference == pytest.approx(system - 0.8)
    assert found[0].system == 1 - human
    # Not significant, and yet not called human-like.
    assert (found[0].low < 0 < found[0].high) == (verdict == "undecided")


def test_a_margin_must_be_positive() -> None:
    with pytest.raises(ValueError, match="margin"):
        against(0, (), 0.0)


def test_one_system_has_nothing_to_be_compared_with() -> None:
    assert all_pairs(np.array([0.5]), np.eye(1), np.ones(1), rng()) == ()
    assert letters(np.array(ATT[:1]), ()) == ("a",)


def test_equal_means_without_any_variance_do_not_differ() -> None:
    found = all_pairs(np.array([0.5, 0.5]), np.zeros((2, 2)), np.full(2, 9.0), rng())
    assert (found[0].difference, found[0].p) == (0.0, 1.0)

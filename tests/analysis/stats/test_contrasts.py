"""All pairs, tiers, ranks and the comparison with human speech (rules D3 and D7)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import studentized_range, t

from analysis.stats import ranges
from analysis.stats.contrasts import against, all_pairs, covariance, joint, letters, ranks, tiers
from analysis.stats.design import Design
from analysis.stats.figures import Contrast
from analysis.stats.intervals import difference, interval, pair
from analysis.stats.twoway import Means, means
from tests.analysis.stats.listeners import ATT, Crowd


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def systems(*means_of: float, raters: int = 24, clips: int = 12, spread: float = 0.15, seed: int = 3) -> Means:
    """Return means of systems with clips of their own that all raters hear, on a scale from 0 to 1."""
    draw = rng(seed)
    rater, system, clip = (column.ravel() for column in np.indices((raters, len(means_of), clips)))
    clip = system * clips + clip
    score = np.array(means_of)[system] + draw.normal(0, 0.05, raters)[rater]
    score += draw.normal(0, 0.05, clips * len(means_of))[clip] + draw.normal(0, spread, len(rater))
    return means(Design.of(np.clip(score, 0, 1), rater, system, clip))


def shares(*of: float, raters: int = 30, clips: int = 20) -> Means:
    """Return means of systems that got exactly so large a share of the highest answer, at random."""
    rater, system, clip = (column.ravel() for column in np.indices((raters, len(of), clips)))
    place = np.argsort(rng().random((len(of), raters * clips)), axis=1)
    score = (place[system, rater * clips + clip] < np.array(of)[system] * raters * clips).astype(float)
    return means(Design.of(score, rater, system, system * clips + clip))


def pairs_of(group_means: Means) -> tuple[Contrast[int], ...]:
    return all_pairs(group_means, low=0, high=1)


def test_simultaneous_ends_and_p_are_those_of_the_studentized_range_with_each_pairs_own_df() -> None:
    group_means = systems(0.5, 0.52, 0.42, 0.6)
    for found in pairs_of(group_means):
        own = group_means.estimate(pair(4, found.first, found.second))
        assert (found.error, found.df) == (own.error, own.df)
        reach = studentized_range.ppf(0.95, 4, own.df) / np.sqrt(2) * own.error
        assert found.high_all == pytest.approx(found.difference + reach, abs=1e-6)
        assert found.low_all == pytest.approx(found.difference - reach, abs=1e-6)
        q = np.sqrt(2) * abs(found.difference) / own.error
        assert found.p == pytest.approx(studentized_range.sf(q, 4, own.df), abs=1e-6)
        half = t.isf(0.025, own.df) * own.error
        assert (found.low, found.high) == pytest.approx((found.difference - half, found.difference + half))


@pytest.mark.parametrize("group_means", [systems(0.4, 0.45, 0.5, 0.55), shares(1.0, 0.99, 0.95, 0.9)])
def test_p_below_five_percent_and_simultaneous_ends_beyond_zero_are_one_verdict(group_means: Means) -> None:
    verdicts = {(found.p < 0.05, found.low_all > 0 or found.high_all < 0) for found in pairs_of(group_means)}
    assert verdicts <= {(True, True), (False, False)}


def test_clear_differences_are_found_and_close_systems_share_a_tier() -> None:
    found = means(Crowd(hls=(0.4, 0.4, 0.27, 0.22, 0.13)).skewed(20_000, 857, 400, rng(2)))
    pairs = pairs_of(found)
    tiers_of = letters(found.mean, pairs)
    assert set(tiers_of[0]) & set(tiers_of[1])
    assert not set(tiers_of[0]) & set(tiers_of[4])
    first = pairs[0]
    assert first.difference == pytest.approx(found.mean[0] - found.mean[1])
    assert first.high_all - first.low_all > first.high - first.low


def test_a_system_at_an_end_of_the_scale_is_compared_like_any_other() -> None:
    [found] = pairs_of(shares(1.0, 0.0))
    # Both ends are Wilson's with the 20 clips of each: 16.1 % wide.
    assert (found.difference, found.high) == (1.0, pytest.approx(1.0))
    assert found.low == pytest.approx(1 - np.sqrt(2) * 0.1611, abs=1e-3)
    assert found.p < 0.001
    [alike] = pairs_of(shares(1.0, 1.0))
    assert (alike.difference, alike.p) == (0.0, pytest.approx(1.0))
    assert (alike.low, alike.high) == (pytest.approx(-0.1611, abs=1e-3), pytest.approx(0.1611, abs=1e-3))


def test_near_an_end_a_difference_comes_from_both_intervals() -> None:
    group_means = shares(0.99, 0.85)
    whole = difference(group_means, pair(2, 0, 1), low=0, high=1)
    first, second = (interval(group_means, row, low=0, high=1) for row in np.eye(2))
    assert first.method == "log-odds"
    assert first.low is not None
    assert first.high is not None
    assert second.low is not None
    assert second.high is not None
    below, above = (
        (first.mean - first.low, second.high - second.mean),
        (first.high - first.mean, second.mean - second.low),
    )
    rho = whole.correlation
    low, high = (np.sqrt(a**2 + b**2 - 2 * rho * a * b) for a, b in (below, above))
    assert whole.ends(0.05) == pytest.approx((whole.estimate.value - low, whole.estimate.value + high))
    one, other, both = (group_means.estimate(row).error ** 2 for row in (*np.eye(2), pair(2, 0, 1)))
    assert rho == pytest.approx(min(max((one + other - both) / 2 / np.sqrt(one * other), 0), 0.95))


def test_all_pairs_of_systems_without_any_difference_err_as_often_as_promised() -> None:
    """150 studies of eight equal systems with six clips and twelve raters; `tests.bench.designs` with thousands."""
    wrong = sum(
        min(found.p for found in pairs_of(systems(*[0.5] * 8, raters=12, clips=6, seed=seed))) < 0.05
        for seed in range(150)
    )
    assert wrong <= 15


@pytest.mark.parametrize("groups", [2, 5, 20])
def test_the_studentized_range_is_that_of_scipy(groups: int) -> None:
    df = np.array([1.0, 2.7, 11.0, 60.0])
    for q in (0.5, 2.0, 4.0, 8.0):
        theirs = [studentized_range.sf(q, groups, each) for each in df]
        assert ranges.beyond(np.full(4, q), groups, df) == pytest.approx(theirs, abs=1e-6)
    reach = ranges.limits(groups, df, 0.05)
    assert ranges.beyond(reach, groups, df) == pytest.approx(0.05, abs=1e-9)


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


def test_more_tiers_than_letters_have_none() -> None:
    assert tiers(np.linspace(1, 0, 27), lambda a, b: True) == ("",) * 27
    assert tiers(np.linspace(1, 0, 26), lambda a, b: True)[-1] == "z"
    # Thirty pairs that differ, all others alike: 2 to the power of 30 tiers.
    assert tiers(np.linspace(1, 0, 60), lambda a, b: abs(a - b) == 1 and max(a, b) % 2 == 1) == ("",) * 60


def test_rank_probabilities_come_from_joint_draws() -> None:
    found = ranks(np.array([[3.0, 2.0, 1.0], [2.0, 3.0, 1.0], [3.0, 2.0, 1.0], [3.0, 2.0, 1.0]]))
    assert found.tolist() == [[0.75, 0.25, 0.0], [0.25, 0.75, 0.0], [0.0, 0.0, 1.0]]


def test_draws_without_a_posterior_have_the_covariance_asked_for() -> None:
    wanted = np.array([[1.0, 0.6], [0.6, 2.0]])
    draws = joint(np.array([1.0, -1.0]), wanted, rng(), draws=40_000)
    assert np.cov(draws.T) == pytest.approx(wanted, abs=0.05)
    assert draws.mean(axis=0) == pytest.approx([1, -1], abs=0.03)
    assert ranks(draws).sum(axis=1) == pytest.approx([1, 1])


@pytest.mark.parametrize(
    ("system", "spread", "verdict"),
    [(0.78, 0.01, "non_inferior"), (0.72, 0.2, "undecided"), (0.5, 0.01, "inferior"), (0.9, 0.01, "non_inferior")],
)
@pytest.mark.parametrize("human", [0, 1])
def test_non_inferiority_needs_the_whole_interval_above_the_margin(
    system: float, spread: float, verdict: str, human: int
) -> None:
    scores = (system, 0.8) if human else (0.8, system)
    raters, clips = (12, 8) if verdict == "undecided" else (40, 40)
    group_means = systems(*scores, spread=spread, raters=raters, clips=clips)
    [found] = against(human, pairs_of(group_means), 0.08)
    assert found.verdict == verdict
    assert found.system == 1 - human
    assert found.difference == pytest.approx(group_means.mean[1 - human] - group_means.mean[human])


@pytest.mark.parametrize(("raters", "verdict"), [(40, "non_inferior"), (34, "undecided")])
def test_with_human_speech_at_100_percent_a_perfect_system_needs_35_raters_and_texts_for_a_margin_of_ten_points(
    raters: int, verdict: str
) -> None:
    group_means = shares(1.0, 1.0, raters=raters, clips=raters)
    [found] = against(0, pairs_of(group_means), 0.10)
    assert found.verdict == verdict
    system = interval(group_means, np.array([0.0, 1.0]), low=0, high=1)
    assert system.low is not None
    assert (1 - system.low < 0.10) == (verdict == "non_inferior")


def test_a_margin_must_be_positive() -> None:
    with pytest.raises(ValueError, match="margin"):
        against(0, (), 0.0)


def test_one_system_has_nothing_to_be_compared_with() -> None:
    assert pairs_of(systems(0.5)) == ()
    assert letters(np.array(ATT[:1]), ()) == ("a",)


def test_ranks_of_systems_at_the_end_of_the_scale_are_not_certain() -> None:
    group_means = shares(1.0, 1.0, 0.5)
    drawn = ranks(joint(group_means.mean, covariance(group_means, low=0, high=1), rng()))
    assert drawn[0, 0] == pytest.approx(0.5, abs=0.03)
    assert drawn[2, 2] > 0.99

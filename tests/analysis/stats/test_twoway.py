"""Intervals by raters and clips against statsmodels, by hand, and at the ends of the scale (rules D1 and D4)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t
from statsmodels.regression.linear_model import OLS

from analysis.stats.design import Design
from analysis.stats.refusals import THESE_TEXTS
from analysis.stats.twoway import comparisons, intervals, means
from tests.analysis.stats.listeners import Crowd


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def study(seed: int = 1) -> Design:
    return Crowd(hls=(0.5, 0.3), clip=0.8).crossed(20, 8, 4, rng(seed))


def test_each_part_of_the_variance_is_that_of_statsmodels() -> None:
    design = study()
    found = means(design)
    x = np.eye(2)[design.system]
    for codes, mine in ((design.rater, found.by_rater), (design.clip, found.by_piece)):
        kwds = {"groups": codes, "use_correction": False}
        fit = OLS(design.score, x).fit(cov_type="cluster", cov_kwds=kwds)
        clusters = np.array([len(np.unique(codes[design.system == system])) for system in range(2)])
        scale = np.sqrt(clusters / (clusters - 1))
        assert mine == pytest.approx(fit.cov_params() * np.outer(scale, scale))
    assert found.mean == pytest.approx([design.score[design.system == system].mean() for system in range(2)])


def test_the_interval_is_t_on_the_smaller_number_of_clusters_less_one() -> None:
    found = means(study())
    first = intervals(found, low=0, high=1)[0]
    variance = found.by_rater[0, 0] + found.by_piece[0, 0] - found.by_both[0, 0]
    half = t.ppf(0.975, 7) * np.sqrt(variance)
    assert (first.method, first.df, first.raters, first.pieces) == ("two-way", 7, 20, 8)
    assert (first.low, first.high) == (pytest.approx(first.mean - half), pytest.approx(first.mean + half))


def test_texts_that_systems_share_take_the_place_of_clips() -> None:
    plain = study()
    shared = Design.of(plain.score, plain.rater, plain.system, plain.clip, plain.clip % 8)
    own = Design.of(plain.score, plain.rater, plain.system, plain.clip, plain.clip)
    assert shared.pieces is not None
    assert shared.pieces.max() == 7
    assert own.pieces is own.clip
    assert means(own).by_piece == pytest.approx(means(plain).by_piece)
    # The same text in both systems: what is hard about it moves both, which the clips alone can't show.
    assert means(shared).by_piece[0, 1] != 0
    assert means(plain).by_piece[0, 1] == 0


def test_a_variance_that_is_not_positive_falls_back_to_the_larger_one_way_and_says_so() -> None:
    # Each rater and each clip has the same mean, so that only their crossing varies.
    rater, clip = (column.ravel() for column in np.indices((12, 12)))
    design = Design.of(((rater + clip) % 2).astype(float), rater, np.zeros(144), clip)
    moved = design.score.copy()
    moved[0] = 0.5
    found = intervals(means(Design.of(moved, rater, np.zeros(144), clip)), low=0, high=1)[0]
    assert found.method == "larger one-way"
    assert "no positive variance" in found.note
    assert found.low is not None
    assert found.high is not None
    assert found.high > found.low


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_everybody_agreeing_gives_wilson_by_raters_inside_the_scale(score: float) -> None:
    rater, clip = (column.ravel() for column in np.indices((12, 6)))
    found = intervals(means(Design.of(np.full(72, score), rater, np.zeros(72), clip)), low=0, high=1)[0]
    assert found.method == "wilson"
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= score <= found.high <= 1
    # Wilson 1927 for 0 of 12.
    assert found.high - found.low == pytest.approx(0.2425, abs=1e-4)


def test_near_an_end_the_interval_is_taken_on_log_odds() -> None:
    design = Crowd(hls=(0.05,), clip=0.3).crossed(60, 20, 20, rng(3))
    found = intervals(means(design), low=0, high=1)[0]
    assert found.method == "log-odds"
    assert found.low is not None
    assert found.high is not None
    # Longer towards the middle of the scale, and inside it.
    assert found.high - found.mean > found.mean - found.low > 0
    assert found.low > 0


@given(
    seed=st.integers(0, 500), share=st.floats(0, 1), raters=st.integers(10, 14), low=st.sampled_from([0.0, 1.0, -3.0])
)
@settings(max_examples=60, deadline=None)
def test_no_interval_is_empty_or_leaves_the_scale(seed: int, share: float, raters: int, low: float) -> None:
    rater, clip = (column.ravel() for column in np.indices((raters, 6)))
    high = low + 4
    score = np.where(rng(seed).random(len(rater)) < share, high, low)
    found = intervals(means(Design.of(score, rater, np.zeros(len(rater)), clip)), low=low, high=high)[0]
    assert found.low is not None
    assert found.high is not None
    assert low <= found.low <= found.mean <= found.high <= high
    assert found.high - found.low > 0.01


@pytest.mark.parametrize(("raters", "clips"), [(9, 6), (12, 4)])
def test_below_ten_raters_or_five_clips_there_is_no_interval(raters: int, clips: int) -> None:
    rater, clip = (column.ravel() for column in np.indices((raters, clips)))
    found = intervals(means(Design.of(rng().random(len(rater)), rater, np.zeros(len(rater)), clip)), low=0, high=1)[0]
    assert (found.low, found.high, found.method) == (None, None, "")
    assert found.note == f"Too few raters ({raters}) or clips ({clips}): an interval needs at least 10 and 5."


def test_without_clips_only_raters_count_and_it_is_said() -> None:
    plain = study()
    found = means(Design.of(plain.score, plain.rater, plain.system))
    first = intervals(found, low=0, high=1)[0]
    assert first.note == "Clips are not known: for these clips only."
    assert first.error == pytest.approx(np.sqrt(means(plain).by_rater[0, 0]))


@pytest.mark.parametrize(("score", "why"), [(1.0, "At an end"), (0.6, "All answers are alike")])
def test_where_only_raters_count_a_wilson_interval_says_so_too(score: float, why: str) -> None:
    # Two voices say the same three texts in each system.
    raters, clip = np.repeat(np.arange(20), 12), np.tile(np.arange(12), 20)
    system, text = clip // 6, clip % 3
    for found in intervals(means(Design.of(np.full(240, score), raters, system, clip, text)), low=0, high=1):
        assert (
            found.note == f"{THESE_TEXTS} {why}{' of the scale' if score == 1 else ''}: Wilson's interval, n = raters."
        )


def test_contrasts_of_the_same_raters_profit_from_what_they_share() -> None:
    found = means(Crowd(hls=(0.5, 0.3), slope=0.0).crossed(60, 10, 10, rng(2)))
    apart, _ = found.variance(np.array([1.0, -1.0]))
    alone = sum(found.variance(row)[0] for row in np.eye(2))
    assert apart < alone / 2


@pytest.mark.parametrize(
    ("human", "half"), [(667, 2.867), (458, 3.272), (421, 3.266), (416, 3.263), (342, 3.177), (290, 3.059)]
)
def test_the_papers_formula_gives_the_half_widths_of_the_hfr_papers_table_1(human: int, half: float) -> None:
    score = np.repeat([100.0, 0.0], [human, 900 - human])
    by_label = {found.label: found for found in comparisons(score, np.arange(900) // 30)}
    paper = by_label["paper"]
    assert (paper.high - paper.low) / 2 == pytest.approx(half, abs=0.0006)
    naive = by_label["naive"]
    assert (naive.high - naive.low) / 2 < half


def test_the_default_covers_where_others_do_not() -> None:
    """Sixty studies of 40 raters and 24 clips; the bench does it with a thousand."""
    crowd = Crowd(clip=0.8)
    held = np.zeros((60, 2))
    for number in range(60):
        design = crowd.crossed(40, 24, 8, rng(number))
        found = intervals(means(design), low=0, high=1)
        mine = design.system == 0
        naive = comparisons(design.score[mine], design.rater[mine])[0]
        held[number, 0] = np.mean(
            [(each.low or 0) <= hls <= (each.high or 1) for each, hls in zip(found, crowd.hls, strict=True)]
        )
        held[number, 1] = naive.low <= crowd.hls[0] <= naive.high
    assert 0.88 <= held[:, 0].mean() <= 0.99
    assert held[:, 1].mean() < 0.85

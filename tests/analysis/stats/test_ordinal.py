"""Ordinal and logistic models against ordinal::clmm and lme4::glmer, and what they say about scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from analysis.stats.design import Design, NotEstimable
from analysis.stats.mixed import ordinal
from analysis.stats.mixed.crossed import Crossing, evaluate
from analysis.stats.mixed.laplace import CategoryCounts, Modes, grade
from analysis.stats.mixed.terms import RATER, SLOPE
from tests.analysis.stats.listeners import ATT, Crowd
from tests.analysis.stats.textbook import wine


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@given(
    seed=st.integers(0, 100),
    cuts=st.tuples(st.floats(-2, 2), st.floats(0.2, 2)),
    beta=st.lists(st.floats(-2, 2), min_size=2, max_size=2),
    sds=st.tuples(st.floats(0.2, 2.5), st.sampled_from([0.0, 0.3, 1.0])),
)
@settings(max_examples=25, deadline=None)
def test_the_gradient_is_that_of_the_approximated_likelihood(
    seed: int, cuts: tuple[float, float], beta: list[float], sds: tuple[float, float]
) -> None:
    design = Crowd(hls=(0.5, 0.3, 0.2)).crossed(6, 5, 4, rng(seed))
    category, levels = grade(design)
    if len(levels) < 3:
        return
    terms = (RATER, SLOPE) if sds[1] else (RATER,)
    answers = CategoryCounts.of(design, category, terms)
    crossing = Crossing.of(design, answers, terms)
    point = np.array([cuts[0], cuts[0] + cuts[1], *beta, *np.log([sd for sd in sds if sd])])

    def at(where: np.ndarray) -> tuple[float, np.ndarray]:
        pair = (float(np.exp(where[4])), float(np.exp(where[5])) if sds[1] else 0.0)
        return evaluate(answers, crossing, where[:2], where[2:4], pair, np.zeros(0), Modes.zero(answers, 0))

    _, gradient = at(point)
    for index, move in enumerate(np.eye(len(point)) * 1e-5):
        assert gradient[index] == pytest.approx((at(point + move)[0] - at(point - move)[0]) / 2e-5, abs=1e-4)


def test_at_the_papers_size_the_truth_is_found_and_the_slope_marked_approximate() -> None:
    design = Crowd().skewed(20_000, 857, 400, rng(0))
    found = ordinal.fit(design)
    assert found.scores.mean == pytest.approx(ATT, abs=0.035)
    assert (found.scores.low < ATT).sum() + (found.scores.high > ATT).sum() >= 9
    assert found.sds[RATER] == pytest.approx(1.833, abs=0.15)
    assert found.sds[SLOPE] == pytest.approx(0.55, abs=0.1)
    assert found.approximate == (SLOPE,)
    assert found.thresholds == pytest.approx([0, 0.65], abs=0.04)


def test_population_averaged_scores_are_means_over_new_raters() -> None:
    found = ordinal.fit(Crowd(hls=(0.4, 0.1)).crossed(60, 10, 6, rng(2)))
    spread = np.hypot(found.sds[RATER] or 0, found.sds[SLOPE] or 0)
    people = found.locations[:, None] + spread * rng(3).standard_normal(200_000)
    passing = expit(people)
    sure = expit(people - found.thresholds[1])
    assert found.scores.mean == pytest.approx(((passing + sure) / 2).mean(axis=1), abs=0.004)
    assert found.scores.shares.sum(axis=1) == pytest.approx([1, 1])
    assert found.scores.shares[:, 2] == pytest.approx(sure.mean(axis=1), abs=0.004)


@pytest.mark.parametrize("binary", [False, True])
def test_turning_the_scale_round_mirrors_the_scores(binary: bool) -> None:
    design = Crowd(hls=(0.4, 0.2)).crossed(30, 6, 4, rng(5))
    score = (design.score > 0.6).astype(float) if binary else design.score
    first = ordinal.fit(Design.of(score, design.rater, design.system))
    second = ordinal.fit(Design.of(1 - score, design.rater, design.system))
    assert second.log_likelihood == pytest.approx(first.log_likelihood, abs=1e-3)
    assert second.scores.mean == pytest.approx(1 - first.scores.mean, abs=1e-3)
    assert second.scores.low == pytest.approx(1 - first.scores.high, abs=2e-3)
    if binary:
        assert second.locations == pytest.approx(-first.locations, abs=5e-3)


def test_a_system_never_called_human_is_left_out_and_named() -> None:
    design = Crowd(hls=(0.4, 0.2, 0.3)).crossed(30, 6, 4, rng(6))
    score = np.where(design.system == 1, 0.0, design.score)
    found = ordinal.fit(Design.of(score, design.rater, design.system))
    assert np.isnan(found.locations).tolist() == [False, True, False]
    assert np.isnan(found.scores.mean).tolist() == [False, True, False]
    assert "1 systems got one and the same extreme answer" in found.notes[-1]


def in_two_parts(joined: bool) -> Design:
    """Return a system that nobody calls Human, one that nobody calls Machine, and perhaps one that gets all answers."""
    draws = rng(3)
    scores = [draws.choice(answers, 80) for answers in ([0, 0.5], [0.5, 1], [0, 0.5, 1])]
    chosen = scores if joined else scores[:2]
    who = np.tile(np.arange(20), 4 * len(chosen))
    return Design.of(np.concatenate(chosen), who, np.repeat(np.arange(len(chosen)), 80))


def test_systems_without_end_between_them_have_scores_but_no_locations() -> None:
    design = in_two_parts(joined=False)
    found = ordinal.fit(design, (RATER,))
    assert np.isnan(found.locations).tolist() == np.isnan(found.location_errors).tolist() == [False, True]
    means = [design.score[design.system == system].mean() for system in (0, 1)]
    assert found.scores.mean == pytest.approx(means, abs=0.002)
    assert "1 systems lie without end away from the others" in found.notes[-1]


def test_one_system_that_got_all_answers_joins_the_others() -> None:
    found = ordinal.fit(in_two_parts(joined=True), (RATER,))
    assert (found.location_errors < 0.5).all()
    assert not any("without end" in note for note in found.notes)


def test_a_search_that_stops_too_early_is_no_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    search = ordinal.optimize.minimize

    def impatient(*args: Any, **options: Any) -> Any:
        return search(*args, **{**options, "options": {"maxiter": 2}})

    monkeypatch.setattr(ordinal.optimize, "minimize", impatient)
    with pytest.raises(NotEstimable, match="did not come to its end"):
        ordinal.fit(wine(), (RATER,))


def test_raters_who_all_answer_alike_have_a_variance_of_zero_and_an_estimate() -> None:
    """A variance of zero is reached by no step, so that a search that ended at its bound has ended well."""
    mix = np.repeat([0.0, 0.5, 1.0], [60, 20, 120])
    system = np.tile(np.arange(4), 50)
    found = ordinal.fit(Design.of(np.tile(mix, 100), np.repeat(np.arange(100), 200), np.tile(system, 100)), (RATER,))
    assert found.sds == {RATER: 0.0}
    assert found.scores.mean == pytest.approx([0.65] * 4, abs=0.001)


def test_liking_of_systems_that_does_not_vary_is_said_to_be_zero() -> None:
    found = ordinal.fit(Crowd(hls=(0.5, 0.3), slope=0.0).crossed(40, 8, 2, rng(12)))
    assert found.sds[SLOPE] == 0.0
    assert found.approximate == ()
    assert "The variance of rater:system was estimated as zero." in found.notes


@pytest.mark.parametrize(
    ("score", "rater", "words"),
    [
        ([0.0, 0.0, 0.0, 0.0], [0, 0, 1, 1], "Every answer is the same"),
        ([0.0, 0.0, 1.0, 1.0], [0, 1, 0, 1], "Each system got one and the same"),
        ([0.0, 1.0, 0.0, 1.0], [0, 1, 2, 3], "single rating"),
    ],
)
def test_what_cannot_be_estimated_is_refused_in_words(score: list[float], rater: list[int], words: str) -> None:
    with pytest.raises(NotEstimable, match=words):
        ordinal.fit(Design.of(score, rater, [0, 0, 1, 1]))


def test_a_scale_of_many_points_is_refused_in_words() -> None:
    with pytest.raises(NotEstimable, match="20 different scores"):
        ordinal.fit(Design.of(np.arange(20.0), np.arange(20) % 4, np.arange(20) % 2))


@pytest.mark.parametrize("terms", [(RATER, SLOPE), (RATER,), (SLOPE,)])
def test_a_large_study_gives_the_same_in_parts_as_whole(
    terms: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    design = Crowd(hls=(0.5, 0.3, 0.2)).skewed(3_000, 40, 60, rng(4))
    whole = ordinal.fit(design, terms)
    monkeypatch.setattr("analysis.stats.mixed.laplace.MOST_ROWS", 30)
    assert len(CategoryCounts.of(design, grade(design)[0], terms).by_raters()) > 5
    parts = ordinal.fit(design, terms)
    assert parts.locations == pytest.approx(whole.locations, abs=1e-6)
    assert parts.location_errors == pytest.approx(whole.location_errors, abs=1e-6)
    assert parts.log_likelihood == pytest.approx(whole.log_likelihood, abs=1e-9)

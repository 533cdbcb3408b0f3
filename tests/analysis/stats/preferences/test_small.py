"""Two systems, best–worst, rankings and discrimination (rules D14 and D15)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, permutation_test, spearmanr, ttest_1samp

from analysis.stats.design import Design, NotEstimable
from analysis.stats.intervals import interval
from analysis.stats.preferences import best_worst, rankings
from analysis.stats.preferences.answers import Preferences
from analysis.stats.preferences.discrimination import abx, abx_d_prime, abx_share, same_different
from analysis.stats.preferences.duel import Duel, Rule, duel, score_gap
from analysis.stats.scores import wilson
from analysis.stats.twoway import means


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def two(rater: Any, text: Any, score: Any) -> Duel:
    """Compare a with b: `score` is 1 (a preferred), −1 or 0; sides take turns."""
    score = np.asarray(score)
    sides = np.arange(len(score)) % 2
    outcome = np.where(score == 0, "tie", np.where((score > 0) == (sides == 0), "first", "second"))
    return duel(
        Preferences.of(rater, text, np.where(sides == 0, "a", "b"), np.where(sides == 0, "b", "a"), outcome), rng()
    )


def test_one_listener_gets_a_sign_test_over_texts() -> None:
    """31 of 40 texts, 78 %, 62 to 88 %, p = .0007, and 3 ties."""
    found = two([1] * 43, range(43), [1] * 31 + [-1] * 9 + [0] * 3)
    share = found.share
    assert (found.wins, found.losses, found.ties) == (31, 9, 3)
    assert share.rule is Rule.ONE_RATER
    assert (share.value, share.low, share.high) == pytest.approx((0.775, 0.625, 0.877), abs=5e-4)
    assert share.p == pytest.approx(0.00068, abs=1e-5)
    assert share.note == "One listener: this holds for texts like these, not for other listeners."


def test_a_listener_s_answers_on_one_text_count_once() -> None:
    found = two([1] * 18, list(range(6)) * 3, [1] * 6 + [1] * 5 + [-1] + [-1] * 5 + [0])
    assert found.share.texts == 5
    assert found.share.value == 1.0
    assert (found.share.low, found.share.high) == wilson(1.0, 5, level=0.95)


def test_few_listeners_get_t_and_sign_flips_over_texts() -> None:
    rater, text = np.repeat([0, 1, 2], 10), np.tile(np.arange(10), 3)
    score = np.where(rng(3).random(30) < 0.65, 1, -1)
    score[4] = 0
    by_text = np.array([(score[(text == each) & (score != 0)] > 0).mean() for each in range(10)])
    found = two(rater, text, score)
    share, reference = found.share, ttest_1samp(by_text, 0.5)
    assert share.rule is Rule.FEW_RATERS
    assert share.p == pytest.approx(reference.pvalue, abs=1e-6)
    assert (share.low, share.high) == pytest.approx(reference.confidence_interval(0.95), abs=1e-9)
    exact = permutation_test((by_text - 0.5,), np.mean, permutation_type="samples", n_resamples=1024)
    assert share.p_flips == pytest.approx(exact.pvalue)
    assert share.note == "For these listeners only: it holds for texts like these."
    assert [(row.wins, row.losses, row.ties) for row in found.by_rater] == [
        (int((score[rater == who] > 0).sum()), int((score[rater == who] < 0).sum()), int(who == 0)) for who in range(3)
    ]


def test_from_five_listeners_the_default_interval_holds() -> None:
    rater, text = (codes.ravel() for codes in np.indices((6, 9)))
    score = np.where(rng(2).random(54) < 0.6, 1, -1)
    found = two(rater, text, score).share
    default = interval(means(Design.of(score > 0, rater, np.zeros(54), text=text)), np.ones(1), low=0.0, high=1.0)
    assert found.rule is Rule.TWO_WAY
    assert (found.value, found.low, found.high) == (default.mean, default.low, default.high)
    assert found.note == "Few raters: 6."
    assert found.p is not None
    assert found.p < 0.05 if default.low is not None and default.low > 0.5 else found.p > 0.05


@pytest.mark.parametrize("raters", [1, 3, 8])
def test_fewer_than_five_texts_give_counts_only(raters: int) -> None:
    rater, text = (codes.ravel() for codes in np.indices((raters, 4)))
    found = two(rater, text, np.where(rng().random(4 * raters) < 0.7, 1, -1))
    assert found.share.rule is Rule.COUNTS
    assert found.share.value is found.share.low is found.share.p is None
    assert found.share.note == "Too few texts: 4, and at least 5 are needed."
    assert found.wins + found.losses == 4 * raters


@pytest.mark.parametrize("raters", [1, 3])
def test_texts_with_a_tie_are_no_reason_to_speak_of_too_few_texts_in_all(raters: int) -> None:
    rater, text = (codes.ravel() for codes in np.indices((raters, 8)))
    score = np.where(text < 3, 1, 0)
    note = "Too few texts without a tie: 3, and at least 5 are needed."
    assert two(rater, text, score).share.note == note
    if raters == 1:
        assert score_gap(rater, text, score, 4.0, rng()).note == note


def test_one_rater_with_nearly_all_answers_gives_counts_only() -> None:
    rater = np.concatenate([np.zeros(60, dtype=int), np.arange(1, 6)])
    found = two(rater, np.arange(65) % 10, [1, -1, 1, -1, 1] * 13)
    assert found.share.rule is Rule.COUNTS
    assert found.share.note == "One rater gave 92 % of the ratings, too many for an interval."


def test_a_duel_of_three_is_refused() -> None:
    with pytest.raises(ValueError, match="two systems"):
        duel(Preferences.of([1, 1], [1, 2], ["a", "b"], ["b", "c"], ["tie", "tie"]), rng())


def drawn(answers: int = 300, seed: int = 1) -> tuple[np.ndarray, np.ndarray, list[list[int]]]:
    """Return raters, texts and rankings of four of six systems, which are 0.6 apart."""
    draw = rng(seed)
    rater, text = draw.integers(0, 15, answers), draw.integers(0, 10, answers)
    order = []
    for _ in range(answers):
        shown = draw.permutation(6)[:4]
        order.append([int(each) for each in shown[np.argsort(-(0.6 * shown + draw.gumbel(size=4)))]])
    return rater, text, order


def chosen() -> best_worst.BestWorstAnswers:
    rater, text, order = drawn()
    shown = [sorted(each) for each in order]
    return best_worst.BestWorstAnswers.of(rater, text, shown, [each[0] for each in order], [each[-1] for each in order])


def test_best_worst_counts_and_orders_systems() -> None:
    found = best_worst.analyse(chosen())
    order = drawn()[2]
    for row in found.counts:
        assert row.shown == sum(row.system in each for each in order)
        assert row.best == sum(row.system == each[0] for each in order)
        assert row.score.mean == pytest.approx((row.best - row.worst) / row.shown)
    assert found.model.strengths is not None
    values = np.array([row.value for row in found.model.strengths.systems])
    assert (np.diff(values) > 0).all()
    assert values.sum() == pytest.approx(0, abs=1e-10)
    assert len(found.model.strengths.pairs) == 15


def test_best_and_worst_of_an_answer_are_one_cluster() -> None:
    answers = chosen()
    choices = best_worst.choices_of(answers)
    assert len(choices.answer) == 600
    assert (np.bincount(choices.answer) == 2).all()
    assert np.bincount(choices.choice).tolist() == [4] * 300 + [3] * 300


def test_halves_correlate_as_scores_do() -> None:
    """With two answers to a tuple that agree, both halves have the same scores."""
    tuples = [[1, 2, 3], [2, 3, 4], [1, 3, 4], [1, 2, 4]]
    shown = tuples * 2
    same = best_worst.BestWorstAnswers.of(
        range(8), None, shown, [max(each) for each in shown], [min(each) for each in shown]
    )
    found = best_worst.split_half(same, rng())
    assert (found.pearson, found.low, found.splits) == pytest.approx((1, 1, 100))
    mixed = best_worst.split_half(chosen(), rng())
    assert 0.5 < mixed.low < mixed.pearson < mixed.high <= 1
    with pytest.raises(NotEstimable, match="two answers"):
        best_worst.split_half(best_worst.BestWorstAnswers.of(range(4), None, tuples, [3, 4, 4, 4], [1, 2, 1, 1]), rng())


def test_rankings_have_mean_ranks_and_strengths_of_the_same_order() -> None:
    rater, text, order = drawn()
    found = rankings.rank(rater, text, order)
    mean = [np.mean([each.index(system) + 1 for each in order if system in each]) for system in range(6)]
    assert [row.rank.mean for row in found.ranks] == pytest.approx(mean)
    assert found.model.strengths is not None
    values = [row.value for row in found.model.strengths.systems]
    assert spearmanr(mean, values).statistic == pytest.approx(-1)
    assert values == pytest.approx(0.6 * (np.arange(6) - 2.5), abs=0.35)


def test_a_system_that_always_wins_has_no_strength() -> None:
    rater, text, order = drawn()
    first = [[5, *(each for each in ranked if each != 5)][:4] for ranked in order]
    found = rankings.rank(rater, text, first)
    assert found.model.problem is not None
    assert found.model.problem.groups == ((5,), (0, 1, 2, 3, 4))
    assert found.ranks[5].rank.mean == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: best_worst.BestWorstAnswers.of([1], None, [["a", "b", "c"]], ["a"], ["a"]),
        lambda: best_worst.BestWorstAnswers.of([1], None, [["a", "b", "c"]], ["a"], ["d"]),
        lambda: best_worst.BestWorstAnswers.of([1], None, [["a", "b"]], ["a"], ["b"]),
        lambda: rankings.rank([1], None, [["a", "a"]]),
        lambda: rankings.rank([1, 2], None, [["a", "b"]]),
    ],
)
def test_answers_that_make_no_sense_are_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(ValueError):
        make()


def test_abx_tests_whether_anybody_hears_a_difference() -> None:
    rater, text = (codes.ravel() for codes in np.indices((10, 8)))
    right = rng(4).random(80) < 0.75
    found = abx(rater, text, right)
    count = int(right.sum())
    assert found.p == pytest.approx(binomtest(count, 80, alternative="greater").pvalue)
    assert found.share.mean == pytest.approx(count / 80)
    assert abx_share(found.d_prime) == pytest.approx((count + 0.5) / 81)
    assert found.low is not None
    assert found.high is not None
    assert (abx_share(found.low), abx_share(found.high)) == pytest.approx((found.share.low, found.share.high))


def test_abx_at_or_below_chance_has_no_sensitivity_and_all_right_no_upper_end() -> None:
    rater, text = (codes.ravel() for codes in np.indices((10, 8)))
    chance = abx(rater, text, np.arange(80) % 3 == 0)
    assert (chance.d_prime, chance.low) == (0, 0)
    assert chance.p > 0.9
    every = abx(rater, text, np.ones(80))
    assert every.low is not None
    assert 0 < every.low < every.d_prime
    assert every.high is None
    assert abx_d_prime(0.5) == 0


def test_abx_of_few_texts_is_tested_without_an_interval() -> None:
    found = abx([1] * 20, range(20), [1] * 18 + [0] * 2)
    assert found.share.low is found.low is found.high is None
    assert found.p == pytest.approx(0.0002, abs=1e-4)


def test_same_different_counts_hits_and_false_alarms() -> None:
    rater, text = (codes.ravel() for codes in np.indices((10, 12)))
    kind = (rater + text) % 2 == 0
    said = rng().random(120) < np.where(kind, 0.7, 0.2)
    found = same_different(rater, text, kind, said)
    assert found is not None
    assert (found.hits.mean, found.false_alarms.mean) == pytest.approx((said[kind].mean(), said[~kind].mean()))
    assert found.gap_low is not None
    assert 0 < found.gap_low < found.gap == pytest.approx(said[kind].mean() - said[~kind].mean())
    assert found.d_prime > 0
    turned = same_different(rater, text, kind, ~said)
    assert turned is not None
    assert turned.d_prime == 0
    assert same_different(rater, text, np.ones(120), said) is None

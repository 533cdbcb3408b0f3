"""Preferences of pairs: what must not depend on labels or sides, and what is refused (rule D14)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from statsmodels.discrete.conditional_models import ConditionalLogit

from analysis.stats.design import NotEstimable
from analysis.stats.preferences.answers import Preferences, win_shares
from analysis.stats.preferences.choices import fit, separation, strengths_basis
from analysis.stats.preferences.clustered import Clustered
from analysis.stats.preferences.paired import PairedResult, choices_of, compare
from analysis.stats.preferences.strengths import Strengths
from analysis.stats.refusals import Reason
from tests.analysis.stats.preferences.contests import Contest

CONTEST = Contest(raters=15, texts=12, systems=4, range=1.5)


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def strengths_of(result: PairedResult) -> Strengths:
    assert result.problem is None
    assert result.strengths is not None
    return result.strengths


def values(result: PairedResult) -> np.ndarray:
    return np.array([row.value for row in strengths_of(result).systems])


def answers(first: Any, second: Any, outcome: Any, *, raters: int = 10) -> Preferences:
    at = np.arange(len(first))
    return Preferences.of(at % raters, at // raters % 10, first, second, outcome)


@settings(max_examples=15, deadline=None)
@given(st.permutations(range(4)), st.integers(0, 1000))
def test_relabelling_systems_permutes_the_result(order: list[int], seed: int) -> None:
    drawn = CONTEST.draw(rng(seed))
    new = np.array(order)
    before = compare(drawn)
    after = compare(replace(drawn, first=new[drawn.first], second=new[drawn.second]))
    assert values(after)[new] == pytest.approx(values(before), abs=1e-8)
    errors = [np.array([row.high - row.value for row in strengths_of(each).systems]) for each in (before, after)]
    assert errors[1][new] == pytest.approx(errors[0], rel=1e-6)
    assert before.order is not None
    assert after.order is not None
    assert after.order.value == pytest.approx(before.order.value, abs=1e-8)
    ps = [
        {frozenset((pair.first, pair.second)): pair.p for pair in strengths_of(each).pairs} for each in (before, after)
    ]
    assert all(
        ps[1][frozenset(int(new[system]) for system in pair)] == pytest.approx(p, abs=1e-6) for pair, p in ps[0].items()
    )


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000))
def test_swapping_sides_turns_only_the_effect_of_order(seed: int) -> None:
    drawn = CONTEST.draw(rng(seed))
    before = compare(drawn)
    after = compare(replace(drawn, first=drawn.second, second=drawn.first, outcome=-drawn.outcome))
    assert values(after) == pytest.approx(values(before), abs=1e-8)
    assert before.order is not None
    assert after.order is not None
    assert after.order.value == pytest.approx(-before.order.value, abs=1e-8)
    assert (after.order.low, after.order.high) == pytest.approx((-before.order.high, -before.order.low), abs=1e-8)
    assert after.order.probability == pytest.approx(1 - before.order.probability)
    assert before.tie is not None
    assert after.tie is not None
    assert astuple(after.tie) == pytest.approx(astuple(before.tie))
    assert (after.wins == before.wins).all()
    assert after.shares == before.shares


@pytest.mark.parametrize("contest", [CONTEST, replace(CONTEST, nu=0.0)], ids=["ties", "no ties"])
def test_strengths_add_to_zero(contest: Contest) -> None:
    assert values(compare(contest.draw(rng()))).sum() == pytest.approx(0, abs=1e-10)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000))
def test_two_systems_heard_equally_often_on_each_side_give_the_share_of_wins(seed: int) -> None:
    """Each answer is turned once, as if its sides had been swapped: the estimate is the logit of the share."""
    drawn = Contest(12, 10, 2).draw(rng(seed))
    both = replace(
        drawn,
        rater=np.tile(drawn.rater, 2),
        text=None if drawn.text is None else np.tile(drawn.text, 2),
        first=np.concatenate([drawn.first, drawn.second]),
        second=np.concatenate([drawn.second, drawn.first]),
        outcome=np.concatenate([drawn.outcome, -drawn.outcome]),
    )
    result = compare(both)
    (pair,), (share,) = strengths_of(result).pairs, result.shares
    assert share.share is not None
    assert pair.probability == pytest.approx(share.share.mean, abs=1e-9)
    assert result.order is not None
    assert result.order.value == pytest.approx(0, abs=1e-9)


def test_two_systems_without_ties_give_the_mean_of_the_logits_of_both_sides() -> None:
    drawn = Contest(12, 10, 2, nu=0.0).draw(rng())
    logits = []
    for system in (0, 1):
        is_first = drawn.first == system
        won = (drawn.outcome[is_first] > 0) == (system == 0)
        logits.append(float(logit(won.mean())))
    result = compare(drawn)
    pair = strengths_of(result).pairs[0]
    assert logit(pair.probability) == pytest.approx(sum(logits) / 2, abs=1e-8)
    assert pair.probability == pytest.approx(expit(sum(logits) / 2), abs=1e-8)
    assert result.order is not None
    assert result.order.value == pytest.approx((logits[0] - logits[1]) / 2, abs=1e-8)
    assert result.tie is None


def test_estimates_are_those_of_statsmodels() -> None:
    choices = choices_of(CONTEST.draw(rng()), with_order=True)
    reference = ConditionalLogit(choices.chosen.astype(int), choices.features, groups=choices.choice).fit(
        disp=0, method="newton"
    )
    found = fit(choices)
    assert found.coefficients == pytest.approx(reference.params, abs=1e-4)
    assert found.log_likelihood == pytest.approx(reference.llf, abs=1e-6)
    assert np.sqrt(np.diag(np.linalg.inv(found.information))) == pytest.approx(reference.bse, rel=1e-3)


def test_degrees_of_freedom_are_those_of_independent_choices() -> None:
    """By hand: M = diag(c'J⁻¹I_gJ⁻¹c) − c'J⁻¹I_g J⁻¹ I_kJ⁻¹c, f = (tr M)² / tr M²."""
    drawn = CONTEST.draw(rng())
    few = drawn.rater < 6
    drawn = replace(
        drawn,
        **{
            name: getattr(drawn, name)[few | (drawn.first == 1)]
            for name in ("rater", "text", "first", "second", "outcome")
        },
    )
    fitted = fit(choices_of(drawn, with_order=True))
    inverse = np.linalg.inv(fitted.information)
    rows = drawn.rater[fitted.choices.answer][fitted.choices.choice]
    by_rater = [fitted.pieces[rows == rater].T @ fitted.pieces[rows == rater] for rater in range(15)]
    weights = np.array([0.4, -1.0, 0.3, 0.2, 0.1])
    turned = inverse @ weights
    matrix = np.array([[-turned @ one @ inverse @ other @ turned for other in by_rater] for one in by_rater])
    matrix += np.diag([turned @ one @ turned for one in by_rater])
    expected = np.trace(matrix) ** 2 / np.trace(matrix @ matrix)
    assert expected < 12
    factor = Clustered.of(fitted, drawn.rater, None).factors[0]
    assert factor.degrees(weights, inverse) == pytest.approx(expected, rel=1e-9)


def test_balanced_clusters_have_one_degree_of_freedom_less_than_their_number() -> None:
    """Every rater answers the same 24 pairs."""
    pairs = np.array([(one, two) for one in range(4) for two in range(4) if one != two] * 2)
    rater = np.repeat(np.arange(9), len(pairs))
    first, second = np.tile(pairs, (9, 1)).T
    outcome = rng().choice(["first", "second", "tie"], len(rater))
    drawn = Preferences.of(rater, np.tile(np.arange(24), 9), first, second, outcome)
    fitted = fit(choices_of(drawn, with_order=True))
    clustered = Clustered.of(fitted, drawn.rater, None)
    row = np.append(strengths_basis(4)[0] - strengths_basis(4)[1], [0.0, 0.0])
    assert clustered.estimate(row).df == pytest.approx(8, rel=1e-6)


def test_strong_systems_get_the_first_letter_and_are_likely_to_win() -> None:
    result = compare(Contest(30, 30, 3, range=3.0, order=0.0).draw(rng()))
    found = strengths_of(result)
    assert [row.letters for row in found.systems] == ["c", "b", "a"]
    pair = found.pairs[1]
    assert (pair.first, pair.second) == (0, 2)
    assert pair.low_all < pair.low < pair.probability < pair.high < pair.high_all < 0.5
    assert pair.probability == pytest.approx(expit(found.systems[0].value - found.systems[2].value))


def test_counts_are_those_of_the_answers() -> None:
    found = compare(
        answers(["a", "b", "a", "c"], ["b", "a", "c", "b"], ["first", "first", "tie", "second"]), with_order=False
    )
    assert found.names == ("a", "b", "c")
    assert found.wins.tolist() == [[0, 1, 0], [1, 0, 1], [0, 0, 0]]
    assert found.ties.tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    assert [(pair.wins, pair.losses, pair.ties) for pair in found.shares] == [(1, 1, 0), (0, 0, 1), (1, 0, 0)]
    assert [pair.share and pair.share.mean for pair in found.shares] == [0.5, None, 1.0]
    assert found.problem is not None
    assert found.problem.refusal.reason is Reason.FEW


@pytest.mark.parametrize(
    ("raters", "texts", "sentence"),
    [
        (4, 10, "Too few raters: 4, and at least 5 are needed."),
        (10, 4, "Too few texts: 4, and at least 5 are needed."),
    ],
)
def test_few_raters_or_texts_give_shares_only(raters: int, texts: int, sentence: str) -> None:
    found = compare(Contest(raters, texts, 2).draw(rng()))
    assert found.problem is not None
    assert str(found.problem.refusal) == sentence
    assert found.strengths is found.order is found.tie is None
    assert found.shares[0].share is not None
    assert found.shares[0].share.low is None


def test_a_system_with_few_raters_has_no_interval_and_is_in_no_pair() -> None:
    drawn = CONTEST.draw(rng())
    kept = (drawn.rater < 4) | ((drawn.first != 3) & (drawn.second != 3))
    columns = {name: getattr(drawn, name)[kept] for name in ("rater", "text", "first", "second", "outcome")}
    found = strengths_of(compare(replace(drawn, **columns)))
    assert found.systems[3].low is None
    assert found.systems[3].note == "Too few raters: 4, and at least 5 are needed."
    assert found.systems[3].letters == ""
    assert all(row.low is not None for row in found.systems[:3])
    assert {pair.second for pair in found.pairs} == {1, 2}


def test_without_texts_it_holds_for_these_clips() -> None:
    drawn = replace(CONTEST.draw(rng()), text=None)
    assert strengths_of(compare(drawn)).systems[0].note == "Clips are not known: for these clips only."


SIDES = ["first", "second"] * 50


@pytest.mark.parametrize(
    ("first", "second", "outcome", "reason", "groups", "words"),
    [
        (["a", "c"] * 50, ["b", "d"] * 50, SIDES, Reason.APART, ((0, 1), (2, 3)), "these groups"),
        (["a", "b"] * 50, ["b", "a"] * 50, SIDES, Reason.SEPARATED, ((0,), (1,)), "preferred to a"),
        (["a", "b"] * 50, ["b", "a"] * 50, ["first", "tie"] * 50, Reason.SEPARATED, ((0,), (1,)), "preferred to a"),
        (["a", "b"] * 50, ["b", "a"] * 50, ["first"] * 100, Reason.SEPARATED, (), "position and ties"),
        (["a"] * 100, ["b"] * 100, SIDES, Reason.SEPARATED, (), "position of a clip"),
        (["a", "b"] * 50, ["b", "a"] * 50, ["tie"] * 100, Reason.SAME, (), "Every answer is the same"),
    ],
    ids=["apart", "never lost", "never lost, ties", "first always wins", "one order only", "ties only"],
)
def test_strengths_are_refused(
    first: list[str],
    second: list[str],
    outcome: list[str],
    reason: Reason,
    groups: tuple[tuple[int, ...], ...],
    words: str,
) -> None:
    found = compare(answers(first, second, outcome))
    assert found.problem is not None
    assert found.problem.refusal.reason is reason
    assert found.problem.groups == groups
    assert words in str(found.problem.refusal)
    assert found.strengths is None
    assert len(found.shares) == len({frozenset(pair) for pair in zip(first, second, strict=True)})


def test_a_group_that_never_lost_is_named() -> None:
    """Systems a and b win against each other and always against c and d, which win against each other."""
    at = [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("a", "c"), ("a", "d"), ("b", "c"), ("c", "b")] * 10
    lost = {("c", "b")}
    outcome = ["second" if names in lost or (number % 3 == 0 and number % 8 < 4) else "first"
               for number, names in enumerate(at)]  # fmt: skip
    found = compare(answers([one for one, _ in at], [two for _, two in at], outcome))
    assert found.problem is not None
    assert found.problem.groups == ((0, 1), (2, 3))
    assert str(found.problem.refusal).endswith("was ever preferred to a, b.")


def test_the_order_may_be_left_out_where_it_was_never_varied() -> None:
    result = compare(answers(["a"] * 100, ["b"] * 100, ["first", "first", "second", "first"] * 25), with_order=False)
    assert result.order is None
    assert strengths_of(result).pairs[0].probability == pytest.approx(0.75)


def test_separation_is_found_even_if_every_system_lost_once() -> None:
    """The likelihood grows without end along the direction returned."""
    first, second = ["a", "b", "b", "c", "a", "c"] * 10, ["b", "a", "c", "b", "c", "a"] * 10
    choices = choices_of(answers(first, second, ["first"] * 60), with_order=True)
    direction = separation(choices.margins)
    assert direction is not None
    assert (choices.margins @ direction).min() >= -1e-9
    assert (choices.margins @ direction).max() > 0


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: answers(["a"], ["a"], ["first"]), ValueError),
        (lambda: answers(["a"], ["b"], ["left"]), ValueError),
        (lambda: Preferences.of([1], [1, 2], ["a"], ["b"], ["tie"]), ValueError),
        (lambda: answers([], [], []), NotEstimable),
    ],
)
def test_answers_that_are_none_are_refused(make: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        make()


def test_win_shares_are_those_of_the_default_interval() -> None:
    drawn = replace(CONTEST.draw(rng()), text=None)
    for pair in win_shares(drawn):
        assert pair.share is not None
        assert pair.share.mean == pytest.approx(pair.wins / (pair.wins + pair.losses))
        assert pair.share.ratings == pair.wins + pair.losses

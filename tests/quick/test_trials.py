"""What so many texts can show, and which of them are heard."""

from __future__ import annotations

from math import comb
from random import Random

import pytest

from quick.trials import chosen, detectable, least_wins, minutes
from quick.wording import p_value


def p_of(wins: int, texts: int) -> float:
    """Return the two-sided exact p by counting."""
    return min(1.0, 2 * sum(comb(texts, each) for each in range(wins, texts + 1)) / 2**texts)


@pytest.mark.parametrize("texts", range(6, 31))
def test_the_least_wins_are_the_first_with_p_below_05(texts: int) -> None:
    wins = least_wins(texts)
    assert wins is not None
    assert p_of(wins, texts) <= 0.05 < p_of(wins - 1, texts)
    assert detectable("ab", texts, 1).endswith(f"on at least {wins} of {texts} texts.")


@pytest.mark.parametrize(
    ("task", "verb"), [("ab", "prefer the same folder"), ("abx", "recognise X"), ("acr", "rate the same folder higher")]
)
def test_the_line_for_ten_texts(task: str, verb: str) -> None:
    line = f"one listener must {verb} on at least 9 of 10 texts."
    assert detectable(task, 10, 1) == f"For a clear result (p < .05), {line}"
    assert detectable(task, 10, 3) == f"For p < .05 before adjusting for 3 pairs, {line}"


def test_five_texts_are_too_few_for_one_listener() -> None:
    assert least_wins(5) is None
    assert detectable("ab", 5, 1) == (
        "5 texts are too few for a clear result with one listener: the same answer on all has p = .062."
    )


def test_trials_are_drawn_in_order_and_never_more_than_wanted() -> None:
    assert chosen(range(8), 30, 1, Random(1)) == list(range(8))
    drawn = chosen(range(100), 30, 3, Random(1))
    assert len(drawn) == 10
    assert drawn == sorted(drawn)
    assert chosen(range(5), 2, 3, Random(1)) == [drawn_one := chosen(range(5), 2, 3, Random(1))[0]]
    assert 0 <= drawn_one < 5


def test_very_small_p_are_named_by_their_limit() -> None:
    assert [p_value(p) for p in (0.0004, 0.0214, 1.0)] == ["p < .001", "p = .021", "p = 1.000"]


@pytest.mark.parametrize(
    ("task", "rated", "seconds_a_trial"),
    [
        ("ab", 1, 2 * 2 * 3 + 10),
        ("abx", 1, 2 * 3 * 3 + 10),
        ("acr", 1, 3 + 10),
        # Two folders, hidden reference and two anchors next to the reference, each three times.
        ("mushra", 5, 3 * 6 * 3 + 5 * 10),
    ],
)
def test_minutes_are_those_of_hearing_short_clips_as_often_as_the_task_needs(
    task: str, rated: int, seconds_a_trial: float
) -> None:
    assert minutes(task, 60, 3.0, rated=rated) == seconds_a_trial


def test_a_mushra_clip_takes_what_the_hfr_paper_measured() -> None:
    assert minutes("mushra", 60, 9.0, rated=5) / 5 == pytest.approx(42.45, abs=0.5)


def test_longer_clips_take_longer() -> None:
    assert minutes("acr", 30, 1.0) < minutes("acr", 30, 10.0)

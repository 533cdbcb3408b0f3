"""Where an answer stands after experts' decisions (rule E1)."""

from __future__ import annotations

import pytest

from raters.experts.rules import ReviewStanding, StandingDecision, condemns, purpose, standing

YES, NO, UNSURE = "consistent", "inconsistent", "cannot_tell"


def first(decision: str, doubled: bool = False) -> StandingDecision:
    return StandingDecision(decision, "first", doubled)  # type: ignore[arg-type]


def second(decision: str) -> StandingDecision:
    return StandingDecision(decision, "double", True)  # type: ignore[arg-type]


def third(decision: str) -> StandingDecision:
    return StandingDecision(decision, "adjudication", True)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "state", "decision"),
    [
        ([], "open", None),
        ([first(NO)], "done", NO),
        ([first(UNSURE)], "done", UNSURE),
        ([first(NO, True)], "half", None),
        ([second(NO)], "half", None),
        ([first(NO, True), second(NO)], "done", NO),
        ([first(NO, True), second(YES)], "disputed", None),
        ([first(UNSURE, True), second(YES)], "disputed", None),
        ([first(NO, True), second(YES), third(YES)], "done", YES),
        ([first(NO, True), second(YES), third(NO)], "done", NO),
        ([second(YES), third(NO)], "done", NO),
    ],
)
def test_one_review_two_that_agree_or_a_third_decide(
    given: list[StandingDecision], state: str, decision: str | None
) -> None:
    assert standing(given) == ReviewStanding(state, decision)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], "first"),
        ([first(NO)], None),
        ([first(NO, True)], "double"),
        ([second(NO)], "first"),
        ([first(NO, True), second(YES)], "adjudication"),
        ([first(NO, True), second(YES), third(NO)], None),
    ],
)
def test_the_next_review_is_for_what_is_missing(given: list[StandingDecision], expected: str | None) -> None:
    assert purpose(given) == expected


@pytest.mark.parametrize(
    ("decided", "inconsistent", "limit", "expected"),
    [
        (10, 10, None, False),
        (4, 4, 0.5, False),
        (5, 3, 0.5, True),
        (10, 5, 0.5, False),
        (10, 6, 0.5, True),
        (5, 1, 0.0, True),
        (5, 0, 0.0, False),
        (5, 5, 1.0, False),
    ],
)
def test_a_rater_is_condemned_above_the_limit_and_never_on_a_few(
    decided: int, inconsistent: int, limit: float | None, expected: bool
) -> None:
    assert condemns(decided=decided, inconsistent=inconsistent, limit=limit, least=5) is expected

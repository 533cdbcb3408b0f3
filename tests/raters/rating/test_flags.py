"""What makes a reason worth an early look."""

from __future__ import annotations

from typing import Any

import pytest

from raters.rating.rules.polarity import FLAGS, of_answer

FINE = "The word 'record' should fall at the end of the sentence"


def test_a_good_reason_has_no_flag() -> None:
    assert of_answer("human", FINE, {}) == set()


@pytest.mark.parametrize("reason", ["It sounds odd to me, I think", "听起来很奇怪吧", "👩‍👩‍👧‍👦" * 29])
def test_a_very_short_reason_is_counted_as_a_reader_counts(reason: str) -> None:
    assert of_answer("unclear", reason) == {"very_short"}


def test_enough_characters_are_not_short() -> None:
    assert of_answer("unclear", "每一句的结尾都是一样的音调和停顿") == set()


def test_words_against_the_label_are_flagged() -> None:
    assert of_answer("human", "Robotic and flat from its beginning to its end") == {"contradicts_label"}


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ({"inputs": {"chars_pasted": len(FINE)}}, {"pasted"}),
        ({"inputs": {"chars_pasted": 3}}, set()),
        ({"inputs": {"chars_pasted": True}}, set()),
        ({"inputs": {"chars_pasted": "many"}}, set()),
        ({"inputs": [1]}, set()),
        ({}, set()),
        (None, set()),
        ([], set()),
    ],
)
def test_what_was_pasted_is_flagged_and_odd_evidence_breaks_nothing(evidence: Any, expected: set[str]) -> None:
    assert of_answer("human", FINE, evidence) == expected


def test_every_flag_is_known() -> None:
    given = {"inputs": {"chars_pasted": 99}}
    assert of_answer("human", "flat robot", given) < set(FLAGS)

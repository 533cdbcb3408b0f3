"""What makes a reason worth an early look."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from raters.rating.rules.polarity import FLAGS, of_answer

ROOT = Path(__file__).resolve().parents[3]
FINE = "The word 'record' should fall at the end of the sentence"


def test_a_good_reason_has_no_flag() -> None:
    assert of_answer("human", FINE, {}) == set()


@pytest.mark.parametrize("reason", ["It sounds odd to me, I think", "听起来很奇怪吧", "👩‍👩‍👧‍👦" * 29])
def test_a_very_short_reason_has_few_letters_and_digits(reason: str) -> None:
    assert of_answer("unclear", reason) == {"very_short"}


def test_enough_characters_are_not_short() -> None:
    assert of_answer("unclear", "每一句的结尾都是一样的音调和停顿") == set()


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("a" * 40, {"repetitive"}),
        ("no " * 20, {"repetitive"}),
        ("asdf asdf asdf asdf asdf asdf asdf asdf", {"repetitive"}),
        ("Good voice, good voice. GOOD VOICE, good voice!", {"repetitive"}),
        ("不错不错，不错不错，不错不错。", {"repetitive"}),
        ("好好好好好好好好好好好好", {"repetitive"}),
        ("no no no no", {"very_short", "repetitive"}),
        ("the the the pause before the last word is far too long", set()),
        ("停顿很奇怪，语调也很奇怪，重音还是很奇怪", set()),
        ("It goes up, and up, and up again until the last word", set()),
    ],
)
def test_one_word_or_few_characters_again_and_again_are_flagged(reason: str, expected: set[str]) -> None:
    assert of_answer("unclear", reason) == expected


def test_a_long_reason_repeats_words_as_any_text_does() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    assert of_answer("unclear", text[:4000]) == set()


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

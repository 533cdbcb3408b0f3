"""Copies, and reasons that were hardly changed."""

from __future__ import annotations

import pytest

from raters.reasons import likeness


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The pause is too long.", "the pause  is TOO long"),
        ("Ｔｈｅ pause", "the pause"),
        ("停顿太长。", "停顿太长！"),
        ("STRASSE", "straße"),
    ],
)
def test_case_width_space_and_punctuation_make_no_difference(one: str, other: str) -> None:
    assert likeness.digest(one) == likeness.digest(other)


def test_another_word_makes_a_difference() -> None:
    assert likeness.digest("The pause is too long") != likeness.digest("The pause is so long")


def test_a_template_with_another_number_is_nearly_the_same() -> None:
    reasons = {
        1: "Each word begins from perfect silence, near second 1",
        2: "Each word begins from perfect silence, near second 2",
        3: "I hear a small laugh that fits what is being said",
        4: "停顿太长而且没有呼吸声音很平",
        5: "停顿太长而且没有呼吸声音很平淡",
        6: "最后一个字的重音落得不对",
    }
    assert likeness.near(reasons) == {1, 2, 4, 5}


def test_one_reason_alone_is_like_nothing() -> None:
    assert likeness.near({1: "a"}) == set()
    assert likeness.near({}) == set()


def test_nothing_but_punctuation_is_handled() -> None:
    assert likeness.bare("?!") == ""
    assert likeness.near({1: "?!", 2: "..."}) == {1, 2}

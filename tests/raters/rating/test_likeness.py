"""Copies, and reasons that were hardly changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raters.rating.rules import likeness


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


LONG = "Each word pops out on its own with a metallic edge and no breath at all"


def test_across_raters_what_one_of_two_has_hardly_changed_is_found() -> None:
    reasons = {
        1: (1, LONG),
        2: (2, f"{LONG}, really"),
        3: (3, "I hear a small laugh that fits what is being said by the speaker"),
        4: (4, "停顿太长而且没有呼吸声音很平,听起来完全不像真人"),
        5: (5, "停顿太长而且没有呼吸声音很平,听起来完全不像真人啊"),
    }
    assert likeness.across(reasons) == [1, 2, 4, 5]


def test_across_raters_one_rater_s_own_are_left_to_the_other_flag() -> None:
    assert likeness.across({1: (7, LONG), 2: (7, f"{LONG}, really")}) == []
    assert likeness.across({1: (7, LONG), 2: (7, LONG), 3: (8, LONG)}) == [1, 2, 3]


def test_across_raters_what_is_short_is_the_same_by_chance() -> None:
    assert likeness.across({1: (1, "It sounds robotic"), 2: (2, "it sounds robotic!"), 3: (3, "机器声音")}) == []


WORDS = ["pause", "breath", "tone", "speed", "metallic", "natural", "voice", "rising", "laugh", "noise", "流畅", "停顿"]


@given(st.lists(st.tuples(st.integers(1, 3), st.lists(st.sampled_from(WORDS), min_size=3, max_size=9)), max_size=14))
def test_across_raters_nothing_is_missed_that_comparing_all_pairs_finds(said: list[tuple[int, list[str]]]) -> None:
    reasons = {key: (rater, " ".join(words)) for key, (rater, words) in enumerate(said)}
    cut = {key: likeness.pieces(reason) for key, (_rater, reason) in reasons.items()}
    expected = {
        one
        for one in cut
        for other in cut
        if reasons[one][0] != reasons[other][0]
        and min(len(cut[one]), len(cut[other])) >= likeness.FEWEST
        and len(cut[one] & cut[other]) >= likeness.NEARLY * len(cut[one] | cut[other])
    }
    assert likeness.across(reasons) == sorted(expected)


def letters(shared: int, own: str) -> str:
    """Return a text of Chinese characters whose first `shared` pairs are those of every text made so."""
    common = "".join(chr(0x4E00 + number) for number in range(shared + 1))
    return common + own


@pytest.mark.parametrize(("shared", "is_like"), [(16, True), (15, False)])
def test_four_fifths_of_the_pieces_are_enough_and_less_is_not(shared: int, is_like: bool) -> None:
    # Pairs of characters: the shared ones, then two of each reason's own.
    one, other = letters(shared, "甲乙"), letters(shared, "丙丁")
    common = likeness.pieces(one) & likeness.pieces(other)
    union = likeness.pieces(one) | likeness.pieces(other)
    assert (len(common), len(union)) == (shared, shared + 4)
    assert (likeness.near({1: one, 2: other}) == {1, 2}) == is_like
    if len(likeness.pieces(one)) >= likeness.FEWEST:
        assert (likeness.across({1: (1, one), 2: (2, other)}) == [1, 2]) == is_like


@pytest.mark.parametrize(("pieces", "is_told"), [(likeness.FEWEST, True), (likeness.FEWEST - 1, False)])
def test_across_raters_the_fewest_pieces_are_enough_and_one_fewer_is_not(pieces: int, is_told: bool) -> None:
    text = letters(pieces, "")
    assert len(likeness.pieces(text)) == pieces
    assert (likeness.across({1: (1, text), 2: (2, text)}) == [1, 2]) == is_told

"""Text is counted as readers count it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.rules.text import graphemes, is_cjk, written
from tests.reasons import CASES, Written


@pytest.mark.parametrize(
    ("text", "count"),
    [("abc", 3), ("  abc \n", 3), ("e\u0301te\u0301", 3), ("👩‍👩‍👧", 1), ("停顿太长", 4), ("ก็", 1), ("", 0)],
)
def test_graphemes(text: str, count: int) -> None:
    assert graphemes(text) == count


@pytest.mark.parametrize("case", CASES, ids=ascii)
def test_a_character_counts_if_it_holds_a_letter_digit_or_ideograph(case: Written) -> None:
    assert (written(case.text), is_cjk(case.text)) == (case.count, case.is_cjk)


@pytest.mark.parametrize(
    ("text", "cjk"),
    [
        ("停顿太长", True),
        ("ここが長い", True),
        ("너무 길다", True),
        ("too long", False),
        ("停 ok then", False),
        ("12!", False),
    ],
)
def test_cjk(text: str, cjk: bool) -> None:
    assert is_cjk(text) is cjk


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_counted_like_everything_else(text: str) -> None:
    assert written(text) == written(f"{text} é") - 1
    assert is_cjk(text) is is_cjk(f"{text} é")

"""Two raters, a third, a fourth (rule C5)."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.rules.validity import agree, raters_needed

SHEETS = st.lists(st.integers(0, 4), max_size=8)


@pytest.mark.parametrize(
    ("sheets", "needed"),
    [
        ("", 2),
        ("a", 2),
        ("aa", 2),
        ("ab", 3),
        ("aba", 3),
        ("abb", 3),
        ("abc", 4),
        ("abca", 4),
        ("abcd", 4),
        ("abcde", 4),
        ("abbcd", 3),
        ("aabcd", 2),
    ],
)
def test_one_more_is_asked_while_no_two_of_them_agree_and_never_a_fifth(sheets: str, needed: int) -> None:
    assert raters_needed(sheets, first=2, most=4) == needed


@given(SHEETS, st.integers(2, 4), st.integers(0, 4))
def test_the_number_stays_between_the_first_and_the_most(sheets: list[int], first: int, more: int) -> None:
    assert first <= raters_needed(sheets, first=first, most=first + more) <= first + more


@given(SHEETS, st.integers(2, 6))
def test_every_sheet_that_comes_asks_for_one_more_at_most_and_takes_none_back(sheets: list[int], most: int) -> None:
    needed = [raters_needed(sheets[:count], first=2, most=most) for count in range(len(sheets) + 1)]
    assert all(0 <= after - before <= 1 for before, after in pairwise(needed))


@given(SHEETS)
def test_what_was_decided_is_not_changed_by_sheets_that_nobody_asked_for(sheets: list[int]) -> None:
    needed = raters_needed(sheets, first=2, most=4)
    if len(sheets) >= needed:
        assert raters_needed(sheets[:needed], first=2, most=4) == needed


@given(st.lists(st.integers(0, 4), min_size=2, max_size=8))
def test_when_enough_have_answered_two_agree_or_all_allowed_were_asked(sheets: list[int]) -> None:
    needed = raters_needed(sheets, first=2, most=4)
    if needed <= len(sheets):
        assert needed == 4 or agree(sheets[:needed])
        # Nobody was asked in vain: those before the last had not agreed.
        assert needed == 2 or not agree(sheets[: needed - 1])


@given(SHEETS)
def test_agreement_does_not_depend_on_the_order(sheets: list[int]) -> None:
    assert agree(sheets) == agree(sorted(sheets)) == (len(set(sheets)) < len(sheets))

"""What counts of typing say about a reason (acceptance test 16), and what a browser may send of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from raters.rating.rules import writing
from raters.rating.rules.evidence import Evidence
from raters.rating.rules.writing import Writing, flags

SENTENCE = "The pause before the last word is too long, and its end breaks off"
CHINESE = "最后一个词前面的停顿太长了，语调也不自然"


def counted(**counts: Any) -> Writing:
    return Writing(**{"keys": 0, **counts})


def test_crowd_16_a_chinese_reason_written_with_an_input_method_has_no_flag() -> None:
    # Twenty characters by seven compositions of "zuihou", "yige" and the like, each ended by a space.
    written = counted(keys=58, compositions=7, chars_composed=20, insertions=62, largest_insert=4)
    assert flags(CHINESE, written) == set()


def test_crowd_16_an_input_method_that_sends_no_key_is_typing_too() -> None:
    assert flags(CHINESE, counted(compositions=7)) == set()
    assert flags(CHINESE, counted(compositions=1, chars_composed=20)) == set()


def test_crowd_16_sixty_pasted_characters_are_flagged() -> None:
    assert flags(SENTENCE, counted(keys=8, pastes=1, chars_pasted=60, largest_insert=60)) == {"pasted"}


@pytest.mark.parametrize(
    ("reason", "counts", "expected"),
    [
        (SENTENCE, {"keys": 70, "insertions": 66}, set()),
        (SENTENCE, {"keys": 8, "drops": 1, "chars_dropped": 60}, {"pasted"}),
        (SENTENCE, {"keys": 60, "pastes": 1, "chars_pasted": 19}, set()),
        (SENTENCE, {"keys": 60, "pastes": 1, "chars_pasted": 30}, set()),
        (CHINESE, {"keys": 4, "pastes": 1, "chars_pasted": 16}, {"pasted"}),
        # Nothing says where it came from, but nobody typed it.
        (SENTENCE, {"keys": 5, "insertions": 1}, {"few_keys"}),
        (SENTENCE, {"keys": 5, "chars_moved": 60}, set()),
        ("Too long a pause", {"keys": 0}, set()),
        # Words are swiped, chosen, or spoken.
        (SENTENCE, {"keys": 5, "touch": True}, set()),
        (SENTENCE, {"keys": 5, "types": {"insertReplacementText": 12}}, set()),
        (SENTENCE, {"keys": 70, "away_s": 40, "after_away": 39}, set()),
        (SENTENCE, {"keys": 70, "away_s": 40, "after_away": 60}, {"drafted"}),
        (CHINESE, {"keys": 40, "away_s": 9, "after_away": 16}, {"drafted"}),
        ("", {"keys": 0, "chars_pasted": 60}, set()),
    ],
)
def test_a_reason_is_flagged_by_how_it_came_to_be_written(reason: str, counts: Any, expected: set[str]) -> None:
    assert flags(reason, counted(**counts)) == expected


def test_half_of_a_reason_is_enough_for_a_flag_and_less_is_not() -> None:
    forty, forty_one = "a gap" * 8, "a gap" * 8 + "s"
    assert flags(forty, counted(keys=40, pastes=1, chars_pasted=20)) == {"pasted"}
    assert flags(forty_one, counted(keys=40, pastes=1, chars_pasted=20)) == set()
    eighty, more = "a gap" * 16, "a gap" * 16 + "s"
    assert flags(eighty, counted(keys=80, away_s=9, after_away=40)) == {"drafted"}
    assert flags(more, counted(keys=80, away_s=9, after_away=40)) == set()


def test_old_pages_that_counted_less_are_not_held_against_anybody() -> None:
    assert flags(SENTENCE, Writing()) == set()
    assert not any(Writing().model_dump().values())
    assert flags(SENTENCE, None) == set()


@pytest.mark.parametrize(
    "evidence", [None, [], {}, {"inputs": None}, {"inputs": [1]}, {"inputs": {"keys": "many"}}, {"inputs": {"x": 1}}]
)
def test_what_can_not_be_read_is_nothing(evidence: Any) -> None:
    assert writing.of(evidence) is None
    assert set(writing.columns(writing.of(evidence)).values()) == {None}


def test_columns_tell_a_zero_from_what_was_not_counted() -> None:
    told = writing.columns(Writing(keys=0, touch=False))
    assert (told["keys"], told["touch"], told["blurs"]) == (0, False, None)


@given(st.dictionaries(st.sampled_from(sorted(Writing.model_fields)), st.integers(0, writing.MOST)))
def test_no_counts_break_anything(counts: dict[str, int]) -> None:
    counts.pop("types", None)
    counts.pop("touch", None)
    assert flags(SENTENCE, Writing.model_validate(counts)) <= {"pasted", "few_keys", "drafted"}


KEY = "k" * 22


@pytest.mark.parametrize(
    "evidence",
    [
        {"text": "what was pasted"},
        {"inputs": {"key_times": [1, 2, 3]}},
        {"inputs": {"keys": -1}},
        {"inputs": {"keys": writing.MOST + 1}},
        {"inputs": {"keys": "12"}},
        {"inputs": {"types": {"not a name": 1}}},
        {"inputs": {"types": {f"kind{'x' * number}": 1 for number in range(41)}}},
        {"clips": {KEY: {"played": 1.5}}},
        {"clips": {KEY: {"since_end": float("inf")}}},
        {"clips": {f"{KEY}x": {}}},
        {"clips": {str(number): {} for number in range(101)}},
        {"hidden_ms": 10**12},
    ],
)
def test_what_nobody_asked_for_and_what_is_out_of_bounds_is_refused(evidence: Any) -> None:
    with pytest.raises(ValidationError):
        Evidence.model_validate(evidence)


def test_all_that_a_page_sends_is_taken() -> None:
    heard = {"plays": 2, "played": 1, "interrupted": 0, "seeks": 1, "speeds": 1, "first_end": None, "since_end": 3.25}
    inputs = {**dict.fromkeys(set(Writing.model_fields) - {"types", "touch"}, 3), "types": {"insertText": 2}}
    evidence = {"clips": {KEY: heard}, "hidden_ms": 12, "inputs": {**inputs, "first_key_s": None, "touch": True}}
    assert Evidence.model_validate(evidence).model_dump() == evidence

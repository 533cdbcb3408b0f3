"""Answers that few gave are put together before anybody prints them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analysis.data.rare import LEAST, RARE, UNSAID, hides, merged

COUNTS = st.dictionaries(st.sampled_from(["a", "b", "c", "d", *UNSAID]), st.integers(1, 12))


@given(COUNTS)
def test_no_answer_of_few_people_is_left_nor_can_be_worked_out(counts: dict[str, int]) -> None:
    found = merged(counts)
    if hides(found):
        assert found == {RARE: 0}
        assert any(number < LEAST for number in counts.values())
        assert sum(counts.values()) < LEAST
    else:
        assert sum(found.values()) == sum(counts.values())
        assert all(number >= LEAST for code, number in found.items() if code not in UNSAID)


@given(COUNTS)
def test_what_was_put_together_once_is_not_touched_again(counts: dict[str, int]) -> None:
    assert merged(merged(counts)) == merged(counts)


def test_the_rarest_take_silence_with_them_before_they_take_anybody_else() -> None:
    assert merged({"woman": 20, "man": 15, "non_binary": 2, "skipped": 3}) == {"woman": 20, "man": 15, RARE: 5}
    assert merged({"woman": 20, "man": 15, "non_binary": 2}) == {"woman": 20, RARE: 17}
    assert merged({"woman": 20, "man": 15, "skipped": 3}) == {"woman": 20, "man": 15, "skipped": 3}

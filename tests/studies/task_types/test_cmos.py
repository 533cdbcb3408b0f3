"""Comparison of a system with a reference."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Invalid
from studies.task_types.base import ClipFact, ItemContent, Listener, PlacedClip, Presentation
from studies.task_types.cmos import Answer, Cmos, Params

KIND = Cmos()
PAIR = ItemContent((PlacedClip("alpha", "test"), PlacedClip("human", "reference")))
FIRST, SECOND = Presentation(order=(0, 1)), Presentation(order=(1, 0))


@given(st.integers(-3, 3), st.booleans())
def test_positive_means_that_the_system_is_better_wherever_it_stood(preference: int, is_second: bool) -> None:
    shown = SECOND if is_second else FIRST
    [row] = KIND.rows(Params(), shown, Answer(preference=preference))
    assert row.value == (preference if is_second else -preference)
    assert row.place == int(is_second)
    assert int(row.code) == row.value


def test_no_difference_has_one_code_in_both_orders() -> None:
    assert {KIND.rows(Params(), shown, Answer(preference=0))[0].code for shown in (FIRST, SECOND)} == {"0"}


def test_the_order_is_drawn_or_always_the_same() -> None:
    drawn = Counter(KIND.draw(Params(), PAIR, Random(seed)).order for seed in range(400))
    assert set(drawn) == {(0, 1), (1, 0)}
    assert 150 < drawn[0, 1] < 250
    assert KIND.draw(Params(order="system_first"), PAIR, Random(1)).order == (0, 1)
    assert KIND.draw(Params(order="reference_first"), PAIR, Random(1)).order == (1, 0)


def test_a_reference_is_preferred_to_the_human_test_clip_of_a_text() -> None:
    clips = [
        ClipFact(1, "alpha", "test", "one"),
        ClipFact(2, "human", "test", "one"),
        ClipFact(3, "studio", "reference", "one"),
        ClipFact(4, "alpha", "test", "two"),
        ClipFact(5, "human", "test", "two"),
    ]
    assert [item.clips for item in KIND.layout(Params(), clips).items] == [(1, 3), (4, 5)]


@pytest.mark.parametrize("text", ["two", ""])
def test_a_clip_without_a_reference_is_named(text: str) -> None:
    clips = [ClipFact(1, "human", "reference", "one"), ClipFact(2, "alpha", "test", text)]
    [trouble] = KIND.layout(Params(), clips).problems
    assert trouble.clip == 2
    assert "no reference" in trouble.reason


@pytest.mark.parametrize("preference", [-4, 4, 0.5, 1.0, "1", True, "much"])
def test_a_preference_lies_between_the_ends(preference: object) -> None:
    with pytest.raises(Invalid) as refused:
        KIND.answer({"preference": preference})
    assert list(refused.value.problems) == ["preference"]


def test_simulated_listeners_prefer_what_passes_for_human() -> None:
    for shown, better in ((FIRST, -1), (SECOND, 1)):
        chances = (0.9, 0.2) if shown is FIRST else (0.2, 0.9)
        made = [KIND.simulate(Params(), shown, Listener(chances), Random(seed)).preference for seed in range(50)]
        assert better * sum(made) > 50

"""Traps among comparisons: a flawed clip next to a good one, and a clip next to itself."""

from __future__ import annotations

from random import Random

import pytest

from studies.task_types import get
from studies.task_types._comparison import Answer, Params
from studies.task_types.base import ClipFact, ItemContent, ItemPlan, Listener, PlacedClip, Presentation
from studies.task_types.compare import Compare

FLAWED, IDENTICAL = "trap_flawed", "trap_human"
TESTS = [ClipFact(n, system, "test", f"t{n // 2}") for n, system in enumerate(("alpha", "human") * 3)]


def kind(answer: str) -> Compare:
    own = get("compare").of({"answer": answer})
    assert isinstance(own, Compare)
    return own


def traps(*clips: ClipFact, answer: str = "tie") -> list[ItemPlan]:
    items = kind(answer).layout(Params(), [*TESTS, *clips]).items
    assert [plan.role for plan in items[:3]] == ["test"] * 3
    return list(items[3:])


def test_a_flawed_clip_is_paired_with_the_human_clip_of_its_text_and_comes_first_in_the_item() -> None:
    [plan] = traps(ClipFact(90, "broken", FLAWED, "t1"))
    assert plan == ItemPlan((90, 3), "broken", FLAWED, "t1")


def test_flawed_clips_of_other_texts_are_paired_with_different_good_clips() -> None:
    plans = traps(*(ClipFact(90 + n, "broken", FLAWED) for n in range(3)))
    assert [plan.clips for plan in plans] == [(90, 1), (91, 3), (92, 5)]


def test_a_human_trap_is_paired_with_itself() -> None:
    [plan] = traps(ClipFact(95, "human", IDENTICAL))
    assert (plan.clips, plan.role) == ((95, 95), IDENTICAL)


def test_identical_clips_are_left_out_with_a_warning_where_one_must_be_chosen() -> None:
    layout = kind("forced").layout(Params(), [*TESTS, ClipFact(95, "human", IDENTICAL)])
    assert {plan.role for plan in layout.items} == {"test"}
    assert [(each.clip, "no right answer" in each.reason) for each in layout.warnings] == [(95, True)]


def test_a_flawed_clip_without_any_good_one_is_left_out_with_a_warning() -> None:
    layout = kind("tie").layout(Params(), [ClipFact(90, "broken", FLAWED)])
    assert not layout.items
    assert [each.clip for each in layout.warnings] == [90]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("answer", ["forced", "tie", "graded"])
def test_only_the_good_clip_passes_a_flawed_pair_whichever_side_it_is_on(answer: str, order: tuple[int, int]) -> None:
    own = kind(answer)
    shown = Presentation(order=order)
    passed = {number: own.passes(Params(), FLAWED, own.rows(Params(), shown, Answer(preference=number)))
              for number in own.answers}  # fmt: skip
    is_good_b = order == (0, 1)
    assert passed == {number: number > 0 if is_good_b else number < 0 for number in passed}


@pytest.mark.parametrize("answer", ["tie", "graded"])
def test_only_no_preference_passes_identical_clips(answer: str) -> None:
    own = kind(answer)
    numbers = own.answers
    rows = {number: own.rows(Params(), Presentation(order=(1, 0)), Answer(preference=number)) for number in numbers}
    assert [number for number in numbers if own.passes(Params(), IDENTICAL, rows[number])] == [0]


@pytest.mark.parametrize(
    ("answer", "flawed", "identical"), [("forced", 1 / 2, 0), ("tie", 1 / 3, 1 / 3), ("graded", 3 / 7, 1 / 7)]
)
def test_a_guesser_passes_as_often_as_there_are_right_answers(answer: str, flawed: float, identical: float) -> None:
    assert (kind(answer).guessed(FLAWED), kind(answer).guessed(IDENTICAL)) == (flawed, identical)


@pytest.mark.parametrize("role", [FLAWED, IDENTICAL])
def test_simulated_listeners_pass_most_traps_and_nothing_public_tells_them(role: str) -> None:
    own = kind("tie")
    clips = (PlacedClip("broken", role), PlacedClip("human", role if role == IDENTICAL else "test"))
    passed = 0
    for number in range(100):
        shown = own.draw(Params(), ItemContent(clips, item=number), Random(number))
        assert shown.public == {}
        answer = own.simulate(Params(), shown, Listener((0.5, 0.5)), Random(number))
        passed += own.passes(Params(), role, own.rows(Params(), shown, answer))
    assert passed > 90

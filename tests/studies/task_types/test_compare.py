"""Comparisons of two systems: pairs, sides, and what an answer says about which system."""

from __future__ import annotations

from random import Random

import pytest

from studies.task_types import get
from studies.task_types._comparison import Answer, Params
from studies.task_types.base import AnyTaskType, ClipFact, ItemContent, ItemLayout, Listener, PlacedClip, Presentation

PAIR = ItemContent((PlacedClip("beta", "test"), PlacedClip("alpha", "test")), item=7)


def kind(answer: str = "forced") -> AnyTaskType:
    return get("compare").of({"answer": answer})


def clips(*systems: str, texts: int = 4, voices: tuple[str, ...] = ("",)) -> list[ClipFact]:
    wanted = [(system, f"t{text}", voice) for text in range(texts) for system in systems for voice in voices]
    return [ClipFact(n, system, "test", text, voice=voice) for n, (system, text, voice) in enumerate(wanted)]


def laid_out(facts: list[ClipFact], **params: str) -> ItemLayout:
    return kind().layout(Params.model_validate(params), facts)


def pairs(facts: list[ClipFact], **params: str) -> list[tuple[str, str]]:
    by_key = {clip.clip: clip.system for clip in facts}
    return [(by_key[plan.clips[0]], by_key[plan.clips[1]]) for plan in laid_out(facts, **params).items]


@pytest.mark.parametrize(
    ("systems", "baseline", "expected"),
    [
        (("alpha", "beta"), "", {("beta", "alpha")}),
        (("alpha", "beta", "human"), "", {("alpha", "human"), ("beta", "human")}),
        (("alpha", "beta", "gamma"), "beta", {("alpha", "beta"), ("gamma", "beta")}),
    ],
)
def test_each_system_meets_the_baseline_once_a_text(
    systems: tuple[str, ...], baseline: str, expected: set[tuple[str, str]]
) -> None:
    found = pairs(clips(*systems), **({"baseline": baseline} if baseline else {}))
    assert set(found) == expected
    assert len(found) == 4 * len(expected)


def test_of_all_pairs_each_system_stands_first_as_often_as_second() -> None:
    found = pairs(clips("alpha", "beta", "gamma", texts=6), pairs="all")
    assert len(found) == 3 * 6
    for system in ("alpha", "beta", "gamma"):
        assert sum(first == system for first, _second in found) == 6


def test_systems_with_several_voices_are_paired_in_the_same_voice() -> None:
    facts = clips("alpha", "beta", texts=1, voices=("anna", "ben"))
    voices = {clip.clip: clip.voice for clip in facts}
    plans = laid_out(facts).items
    assert len(plans) == 2
    assert all(voices[plan.clips[0]] == voices[plan.clips[1]] for plan in plans)


@pytest.mark.parametrize(
    ("systems", "params", "said"),
    [
        (("alpha",), {}, "There are no two systems to compare."),
        (("alpha", "beta", "gamma"), {}, "name one of alpha, beta, gamma"),
        (("alpha", "beta"), {"baseline": "delta"}, "name one of alpha, beta"),
    ],
)
def test_what_cannot_be_paired_is_said(systems: tuple[str, ...], params: dict[str, str], said: str) -> None:
    layout = laid_out(clips(*systems), **params)
    assert not layout.items
    assert said in layout.problems[0].reason


def test_a_clip_without_a_partner_is_left_out_with_a_warning() -> None:
    facts = [*clips("alpha", "beta", texts=2), ClipFact(99, "beta", "test", "alone"), ClipFact(98, "alpha", "test")]
    layout = laid_out(facts)
    assert len(layout.items) == 2
    assert {trouble.clip: trouble.reason for trouble in layout.warnings} == {
        99: "The clip of beta on the text “alone” has no other clip to be compared with: it is left out.",
        98: "A clip of alpha names no text, so it is compared with no other: it is left out.",
    }


def test_half_of_the_raters_of_an_item_hear_either_side_first() -> None:
    orders = [kind().draw(Params(), PAIR, Random(seed)).order for seed in range(20)]
    assert len(set(orders)) == 1, "the side is that of the rater and the item"
    by_rater = [
        kind().draw(Params(), ItemContent(PAIR.clips, rater=rater, item=7), Random(1)).order for rater in (1, 2)
    ]
    assert sorted(by_rater) == [(0, 1), (1, 0)]
    of_one = [
        kind().draw(Params(), ItemContent(PAIR.clips, rater=1, item=item), Random(1)).order for item in range(400)
    ]
    assert 160 < of_one.count((0, 1)) < 240


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize(("answer", "number"), [("forced", 1), ("tie", 1), ("graded", 2)])
def test_an_answer_counts_for_the_system_whichever_side_it_was_on(
    order: tuple[int, int], answer: str, number: int
) -> None:
    shown = Presentation(order=order)
    is_b = order == (1, 0)
    for better in (number, -number):
        row = kind(answer).rows(Params(), shown, Answer(preference=better))[0]
        wins = (better > 0) == is_b
        assert row.place == order.index(0)
        expected = abs(number) * (1 if wins else -1) if answer == "graded" else float(wins)
        assert row.value == expected


def test_no_preference_is_half_a_point_and_only_where_it_is_offered() -> None:
    assert kind("tie").rows(Params(), Presentation(order=(0, 1)), Answer(preference=0))[0].value == 0.5
    shown = Presentation(order=(0, 1))
    assert kind("forced").problems(Params(), shown, Answer(preference=0))
    assert not kind("tie").problems(Params(), shown, Answer(preference=0))
    assert kind("tie").problems(Params(), shown, Answer(preference=2))


@pytest.mark.parametrize("answer", ["forced", "tie", "graded"])
def test_simulated_listeners_prefer_what_passes_for_human(answer: str) -> None:
    shown = Presentation(order=(1, 0))
    made = [kind(answer).simulate(Params(), shown, Listener((0.1, 0.9)), Random(seed)) for seed in range(50)]
    assert sum(each.preference > 0 for each in made) > 45


def test_the_scale_follows_the_kind_of_answer() -> None:
    assert (kind("tie").score.unit, kind("tie").options) == ("%", 3)
    assert (kind("graded").score.low, kind("graded").options) == (-3.0, 7)
    assert kind("forced").name == kind("graded").name == "compare"

"""Pairs after a third recording, X: which recording it is, that it comes first, and what an answer says."""

from __future__ import annotations

from random import Random

import pytest

from studies.definition import presets
from studies.task_types import get
from studies.task_types._comparison import Answer, Params
from studies.task_types.base import AnyTaskType, ClipFact, ItemContent, ItemLayout, Listener, PlacedClip

ITEM = ItemContent((PlacedClip("beta", "test"), PlacedClip("alpha", "test"), PlacedClip("human", "prompt")), item=7)


def kind(reference: str = "prompt", answer: str = "forced") -> AnyTaskType:
    return get("compare").of({"reference": reference, "answer": answer})


def laid_out(reference: str, *more: ClipFact, voice: str = "anna", prompt: int = 0) -> ItemLayout:
    clips = [
        ClipFact(1, "alpha", "test", "t1", voice=voice, prompt=prompt),
        ClipFact(2, "beta", "test", "t1", voice=voice, prompt=prompt),
        *more,
    ]
    return kind(reference).layout(Params.model_validate({"reference": reference}), clips)


def test_x_is_the_prompt_that_the_clip_names_or_one_of_its_voice() -> None:
    named = ClipFact(8, "human", "prompt", "t9", voice="other")
    of_voice = ClipFact(9, "human", "prompt", "t8", voice="anna")
    assert [plan.clips for plan in laid_out("prompt", named, of_voice, prompt=8).items] == [(2, 1, 8)]
    assert [plan.clips for plan in laid_out("prompt", named, of_voice).items] == [(2, 1, 9)]


def test_x_is_the_reference_of_the_text_or_its_human_clip() -> None:
    human = ClipFact(8, "human", "reference", "t1")
    assert [plan.clips for plan in laid_out("text", human).items] == [(2, 1, 8)]


@pytest.mark.parametrize(
    ("reference", "more", "said"),
    [
        ("prompt", (), "There is no recording of the target speaker"),
        ("text", (), "no clip of the role reference and no human one"),
        ("text", (ClipFact(8, "human", "test", "t1"),), "can’t be compared with itself"),
    ],
)
def test_a_pair_without_x_is_refused_and_its_clip_named(reference: str, more: tuple[ClipFact, ...], said: str) -> None:
    found = laid_out(reference, *more)
    assert not found.items
    assert all(said in trouble.reason for trouble in found.problems)
    assert found.problems[0].clip is not None


def test_x_comes_first_and_the_sides_of_the_others_are_balanced_between_raters() -> None:
    params = Params(reference="prompt")
    orders = [kind().draw(params, ItemContent(ITEM.clips, rater=rater, item=7), Random(1)).order for rater in range(10)]
    assert {order[0] for order in orders} == {2}
    assert sum(order == (2, 0, 1) for order in orders) == 5


@pytest.mark.parametrize("rater", [0, 1])
def test_an_answer_for_b_is_one_for_the_clip_that_was_b(rater: int) -> None:
    params = Params(reference="prompt")
    shown = kind().draw(params, ItemContent(ITEM.clips, rater=rater, item=7), Random(1))
    [row] = kind().rows(params, shown, Answer(preference=1))
    is_b = shown.order[2] == 0
    assert (row.value, row.place) == ((1.0, 2) if is_b else (0.0, 1))


@pytest.mark.parametrize("rater", [0, 1])
def test_attentive_listeners_choose_the_better_clip_whatever_x_is(rater: int) -> None:
    params = Params(reference="prompt")
    shown = kind().draw(params, ItemContent(ITEM.clips, rater=rater, item=7), Random(1))
    chance = {0: 1.0, 1: 0.0, 2: 0.5}
    listener = Listener(tuple(chance[clip] for clip in shown.order))
    rows = [kind().rows(params, shown, kind().simulate(params, shown, listener, Random(n)))[0] for n in range(50)]
    assert all(row.value == 1.0 for row in rows)


def test_pairs_with_x_have_no_traps_and_the_presets_use_it() -> None:
    assert not kind().traps
    assert get("compare").traps
    for name in ("xab", "axy"):
        definition = presets.get(name).definition
        assert definition.kind.leads == 1
        assert not definition.kind.traps

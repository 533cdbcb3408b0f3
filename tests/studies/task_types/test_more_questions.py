"""More questions about a pair: their order, answers, rows and texts."""

from __future__ import annotations

from collections import Counter
from random import Random
from statistics import fmean
from typing import Any

import pytest

from core.errors import Invalid
from studies.definition import presets
from studies.task_types import get
from studies.task_types._comparison import Answer
from studies.task_types.base import ItemContent, Listener, PlacedClip, Presentation

DEFINITION = presets.get("pairwise-dimensions").definition
KIND, PARAMS = DEFINITION.kind, DEFINITION.params
PARTS = ["intelligibility", "expressiveness", "voice", "liveliness", "noise", "hallucination"]
ITEM = ItemContent((PlacedClip("alpha", "test"), PlacedClip("human", "test")), item=7)
WHOLE = Answer(preference=1, more=dict.fromkeys(PARTS, 0))


def test_each_question_comes_first_equally_often_and_a_rater_has_one_order() -> None:
    drawn = [
        KIND.draw(PARAMS, ItemContent(ITEM.clips, rater=rater), Random(rater)).public["more"] for rater in range(60)
    ]
    assert Counter(order[0] for order in drawn) == dict.fromkeys(PARTS, 10)
    assert KIND.draw(PARAMS, ItemContent(ITEM.clips, rater=4, item=9), Random(1)).public["more"] == drawn[4]


def test_each_answer_is_a_row_about_the_same_clip_with_the_sides_turned_alike() -> None:
    shown = Presentation(public={"more": ["noise", "voice"]}, order=(1, 0))
    rows = KIND.rows(PARAMS, shown, Answer(preference=1, more={"voice": -1, "noise": 0}))
    assert [(row.part, row.code, row.value, row.place) for row in rows] == [
        ("preference", "preferred", 1.0, 1),
        ("noise", "tie", 0.5, 1),
        ("voice", "other", 0.0, 1),
    ]


@pytest.mark.parametrize(
    ("more", "field"),
    [({}, "more.noise"), ({**WHOLE.more, "noise": 2}, "more.noise"), ({**WHOLE.more, "taste": 1}, "more.taste")],
)
def test_an_answer_needs_every_question_and_no_other(more: dict[str, int], field: str) -> None:
    shown = KIND.draw(PARAMS, ITEM, Random(1))
    assert field in KIND.problems(PARAMS, shown, Answer(preference=1, more=more))
    assert KIND.problems(PARAMS, shown, WHOLE) == {}


@pytest.mark.parametrize(
    "settings",
    [
        {"answer": "graded"},
        {"answer": "same"},
        {"reference": "copy"},
        {"more": [{"name": "Noise", "question": "?"}, {"name": "noise", "question": "?"}]},
        {"more": [{"name": "Preference", "question": "?"}]},
        {"more": [{"name": "Voice quality", "question": "?"}]},
    ],
)
def test_more_questions_need_names_of_their_own_and_a_choice_of_two(settings: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        get("compare").params({"more": [{"name": "Noise", "question": "Which?"}], **settings})


def test_a_comparison_without_more_questions_is_as_before() -> None:
    kind = get("compare").of({"answer": "tie"})
    assert kind.outcomes == ()
    assert kind.rows(PARAMS, Presentation(order=(0, 1)), Answer(preference=-1))[0].code == "preferred"


def test_translated_questions_keep_their_names_and_a_list_of_another_length_is_left_out() -> None:
    raw = PARAMS.model_dump(mode="json")
    lines = [f"第{number}问" for number in range(6)]
    assert KIND.texts(PARAMS)["more"] == tuple(each.question for each in PARAMS.more)
    translated = KIND.with_texts(raw, {"question": "哪个好？", "more": lines})
    assert [each["question"] for each in translated["more"]] == lines
    assert [each["name"].lower() for each in translated["more"]] == PARTS
    assert translated["question"] == "哪个好？"
    assert KIND.with_texts(raw, {"more": lines[:5]})["more"] == raw["more"]


def test_simulated_listeners_prefer_the_better_clip_in_every_question() -> None:
    rng, shown = Random(2), KIND.draw(PARAMS, ITEM, Random(1))
    shown = shown.model_copy(update={"order": (0, 1)})
    answers = [KIND.simulate(PARAMS, shown, Listener((0.2, 0.8)), rng) for _ in range(100)]
    for part in PARTS:
        assert fmean(answer.more[part] for answer in answers) > 0.6

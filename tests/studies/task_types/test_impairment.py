"""Grades of impairment: the difference from the hidden reference, ranges, settings, and a planted impairment."""

from __future__ import annotations

from random import Random
from statistics import fmean
from typing import Any

import pytest

from core.errors import Invalid
from studies.definition import presets
from studies.task_types import get
from studies.task_types.base import ClipFact, ItemContent, Listener, PlacedClip, Presentation
from studies.task_types.mushra import Answer

DEFINITION = presets.get("bs1116").definition
KIND, PARAMS = DEFINITION.kind, DEFINITION.params
CLIPS = (PlacedClip("human", "reference"), PlacedClip("human", "reference"), PlacedClip("alpha", "test"))


def shown(seed: int = 1) -> Presentation:
    return KIND.draw(PARAMS, ItemContent(CLIPS), Random(seed)).model_copy(update={"clips": ("r", "a", "b")})


def test_a_screen_has_the_reference_then_the_clip_and_the_hidden_reference_in_either_order() -> None:
    clips = [
        ClipFact(1, "alpha", "test", "t"),
        ClipFact(2, "beta", "test", "t"),
        ClipFact(3, "human", "reference", "t"),
    ]
    assert [plan.clips for plan in KIND.layout(PARAMS, clips).items] == [(3, 3, 1), (3, 3, 2)]
    assert not KIND.layout(PARAMS, clips).warnings
    assert {shown(seed).order for seed in range(20)} == {(0, 1, 2), (0, 2, 1)}
    assert shown().public == {"has_reference": True, "clips": 3}


@pytest.mark.parametrize(("hidden", "difference"), [(1, -1.3), (2, 1.3)])
def test_the_score_is_the_grade_of_the_clip_less_that_of_the_hidden_reference(hidden: int, difference: float) -> None:
    trial = shown().model_copy(update={"private": {"hidden": hidden}})
    rows = KIND.rows(PARAMS, trial, Answer(ratings={"a": 50, "b": 37}))
    assert [(row.part, row.value, row.place) for row in rows] == [
        ("rating", 5.0, 1),
        ("rating", 3.7, 2),
        ("difference", difference, 3 - hidden),
    ]
    assert KIND.score.part == "difference"


@pytest.mark.parametrize("ratings", [{"a": 50}, {"a": 50, "b": 9}, {"a": 51, "b": 20}, {"a": 50, "b": 20, "r": 50}])
def test_both_clips_need_a_grade_from_1_to_5(ratings: dict[str, int]) -> None:
    assert KIND.problems(PARAMS, shown(), Answer(ratings=ratings))
    assert KIND.problems(PARAMS, shown(), Answer(ratings={"a": 10, "b": 50})) == {}


@pytest.mark.parametrize(
    "settings",
    [
        {"one_system": False},
        {"hidden_reference": False},
        {"explicit_reference": False},
        {"anchors": ["7 kHz"]},
        {"post_screening": True},
    ],
)
def test_grades_of_impairment_need_one_clip_and_both_references(settings: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        get("mushra").params({"scale": "impairment", "one_system": True, **settings})


def test_simulated_listeners_grade_a_worse_system_lower_and_a_transparent_one_around_0() -> None:
    rng = Random(2)

    def mean(chance: float, *, is_careful: bool = True) -> float:
        listener = Listener((0.9, chance, chance), is_careful)
        answers = [KIND.simulate(PARAMS, shown(), listener, rng) for _ in range(400)]
        return fmean(KIND.rows(PARAMS, shown(), answer)[-1].value or 0.0 for answer in answers)

    assert mean(0.2) < mean(0.6) - 1 < -1
    assert mean(1.0) == pytest.approx(0, abs=0.1)
    assert mean(0.2, is_careful=False) == pytest.approx(0, abs=0.3)

"""Several clips of one text at once: which systems meet, and what an answer says about each clip."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from studies.task_types import get
from studies.task_types._sets import Answer, Params
from studies.task_types.base import AnyTaskType, ClipFact, ItemContent, Listener, PlacedClip, Presentation

SHOWN = Presentation(order=(2, 0, 1), clips=("x", "y", "z"))


def kind(answer: str = "best_worst") -> AnyTaskType:
    return get("sets").of({"answer": answer})


def clips(*systems: str, texts: int = 4) -> list[ClipFact]:
    named = [(system, f"t{text}") for text in range(texts) for system in systems]
    return [ClipFact(n, system, "test", text) for n, (system, text) in enumerate(named)]


def sets(facts: list[ClipFact], size: int = 4) -> list[tuple[str, ...]]:
    by_clip = {clip.clip: clip.system for clip in facts}
    plans = kind().layout(Params(size=size), facts).items
    return [tuple(sorted(by_clip[clip] for clip in plan.clips)) for plan in plans]


def test_up_to_its_size_a_set_has_all_systems_of_a_text() -> None:
    assert sets(clips("alpha", "beta", "gamma")) == [("alpha", "beta", "gamma")] * 4


@pytest.mark.parametrize(("systems", "size", "texts"), [(5, 4, 10), (7, 3, 12), (10, 4, 20), (20, 4, 10)])
def test_more_systems_share_the_sets_of_each_text_evenly(systems: int, size: int, texts: int) -> None:
    names = [f"s{number:02}" for number in range(systems)]
    found = sets(clips(*names, texts=texts), size)
    assert all(len(set(chosen)) == size for chosen in found)
    used = Counter(system for chosen in found for system in chosen)
    assert set(used) == set(names)
    assert max(used.values()) - min(used.values()) <= 0.15 * max(used.values())
    met = Counter(pair for chosen in found for pair in combinations(chosen, 2))
    expected = len(found) * size * (size - 1) / (systems * (systems - 1))
    assert min(met[pair] for pair in combinations(names, 2)) >= 0.5 * expected
    # About 1.5 sets for each clip of a text.
    assert systems * texts <= len(found) <= 1.5 * systems * texts + texts


def test_a_text_with_too_few_systems_is_left_out_and_named() -> None:
    facts = [*clips("alpha", "beta", "gamma", texts=1), ClipFact(90, "alpha", "test", "t9")]
    found = kind().layout(Params(), facts)
    assert len(found.items) == 1
    assert [trouble.clip for trouble in found.warnings] == [90]


@pytest.mark.parametrize(("answer", "least"), [("best_worst", 3), ("ranking", 2)])
def test_without_enough_systems_there_is_nothing_to_compare(answer: str, least: int) -> None:
    found = kind(answer).layout(Params(), clips("alpha"))
    assert [trouble.reason for trouble in found.problems] == [f"No text has clips by {least} systems to compare."]


def test_each_clip_comes_at_each_place_about_equally_often() -> None:
    item = ItemContent(tuple(PlacedClip(system, "test") for system in ("alpha", "beta", "gamma")))
    rng = Random(1)
    first = Counter(kind().draw(Params(), item, rng).order[0] for _ in range(600))
    assert all(150 < times < 250 for times in first.values())


def test_the_best_clip_gets_1_the_worst_minus_1_and_the_others_0() -> None:
    rows = kind().rows(Params(), SHOWN, Answer(order=["z", "x"]))
    assert [(row.place, row.code, row.value) for row in rows] == [
        (0, "worst", -1.0), (1, "neither", 0.0), (2, "best", 1.0),
    ]  # fmt: skip


def test_a_ranked_clip_gets_the_share_of_the_others_below_it() -> None:
    rows = kind("ranking").rows(Params(), SHOWN, Answer(order=["z", "x", "y"]))
    assert [(row.place, row.code, row.value) for row in rows] == [(0, "2", 0.5), (1, "3", 0.0), (2, "1", 1.0)]


@pytest.mark.parametrize(
    ("answer", "order", "problem"),
    [
        ("best_worst", ["x", "y"], ""),
        ("best_worst", ["x", "x"], "Please choose the best and the worst clip."),
        ("best_worst", ["x"], "Please choose the best and the worst clip."),
        ("best_worst", ["x", "w"], "There is no such clip to choose."),
        ("ranking", ["x", "y", "z"], ""),
        ("ranking", ["x", "y"], "Please rank every clip."),
        ("ranking", ["x", "y", "y"], "Please rank every clip."),
    ],
)
def test_an_answer_names_clips_of_the_set_and_each_once(answer: str, order: list[str], problem: str) -> None:
    problems = kind(answer).problems(Params(), SHOWN, Answer(order=order))
    assert problems == ({"order": problem} if problem else {})


@pytest.mark.parametrize("answer", ["best_worst", "ranking"])
def test_attentive_listeners_prefer_the_better_clip_and_others_prefer_none(answer: str) -> None:
    def mean(*, is_careful: bool) -> float:
        rng = Random(2)
        listener = Listener((0.9, 0.5, 0.1), is_careful)
        answers = [kind(answer).simulate(Params(), SHOWN, listener, rng) for _ in range(400)]
        scores = [kind(answer).rows(Params(), SHOWN, each)[0].value or 0.0 for each in answers]
        return sum(scores) / len(scores)

    middle = (kind(answer).score.low + kind(answer).score.high) / 2
    assert mean(is_careful=True) > middle + 0.3
    assert abs(mean(is_careful=False) - middle) < 0.1

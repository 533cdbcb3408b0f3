"""Two clips, or one of them twice: what is drawn, the rows, and a difference planted in simulated answers."""

from __future__ import annotations

from collections import Counter
from random import Random
from statistics import fmean

import pytest

from core.errors import Invalid
from studies.definition import presets
from studies.task_types import get
from studies.task_types._comparison import Answer
from studies.task_types.base import ItemContent, Listener, PlacedClip, Presentation

DEFINITION = presets.get("same-different").definition
KIND, PARAMS = DEFINITION.kind, DEFINITION.params
ITEM = ItemContent((PlacedClip("alpha", "test"), PlacedClip("human", "test")), item=7)


def test_half_of_the_trials_have_one_of_the_two_clips_twice() -> None:
    rng = Random(3)
    drawn = Counter(
        KIND.draw(PARAMS, ItemContent(ITEM.clips, rater=rater % 2, item=7), rng).order for rater in range(2000)
    )
    assert set(drawn) == {(0, 1), (1, 0), (0, 0), (1, 1)}
    assert all(430 < count < 570 for count in drawn.values())


def test_nothing_but_the_order_of_clips_says_which_pairs_are_identical() -> None:
    shown = [KIND.draw(PARAMS, ITEM, Random(seed)) for seed in range(20)]
    assert len({len(set(each.order)) for each in shown}) == 2
    assert {(str(each.public), str(each.private)) for each in shown} == {("{}", "{}")}


@pytest.mark.parametrize(
    ("order", "preference", "part", "code", "place"),
    [
        ((0, 1), 1, "different", "different", 0),
        ((1, 0), 0, "different", "same", 1),
        ((0, 0), 1, "identical", "different", 0),
        ((1, 1), 0, "identical", "same", 0),
    ],
)
def test_answers_on_different_and_identical_pairs_are_parts_of_their_own(
    order: tuple[int, ...], preference: int, part: str, code: str, place: int
) -> None:
    [row] = KIND.rows(PARAMS, Presentation(order=order), Answer(preference=preference))
    assert (row.part, row.code, row.value, row.place) == (part, code, float(preference), place)


@pytest.mark.parametrize("preference", [-1, 2])
def test_only_same_and_different_are_answers(preference: int) -> None:
    assert KIND.problems(PARAMS, Presentation(order=(0, 1)), Answer(preference=preference))


@pytest.mark.parametrize("settings", [{"reference": "text"}, {"reference": "prompt"}, {"pairs": "all"}])
def test_same_or_different_goes_only_with_two_clips_and_a_baseline(settings: dict[str, str]) -> None:
    with pytest.raises(Invalid):
        get("compare").params({"answer": "same", **settings})


def test_listeners_say_different_the_more_often_the_more_the_clips_differ() -> None:
    rng = Random(5)

    def share(order: tuple[int, int], chances: tuple[float, float]) -> float:
        shown, listener = Presentation(order=order), Listener(chances)
        return fmean(KIND.simulate(PARAMS, shown, listener, rng).preference for _ in range(1000))

    same, near, far = share((0, 0), (0.2, 0.2)), share((0, 1), (0.5, 0.6)), share((0, 1), (0.1, 0.9))
    assert same + 0.1 < near < far - 0.2
    assert same == pytest.approx(0.15, abs=0.04)

"""Which of two clips is X a copy of? It is drawn for each trial, and there is a right answer."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from core.errors import Invalid
from studies.task_types import get
from studies.task_types._comparison import Answer, Params
from studies.task_types.base import AnyTaskType, ItemContent, Listener, PlacedClip, Presentation

PARAMS = Params(reference="copy")
ITEM = ItemContent((PlacedClip("alpha", "test"), PlacedClip("human", "test")), item=7)


def kind() -> AnyTaskType:
    return get("compare").of({"reference": "copy"})


def test_x_is_either_clip_in_half_of_the_trials_whatever_the_sides() -> None:
    rng = Random(3)
    drawn = [kind().draw(PARAMS, ItemContent(ITEM.clips, rater=rater % 2, item=7), rng).order for rater in range(2000)]
    times = Counter(drawn)
    assert set(times) == {(x, *sides) for x in (0, 1) for sides in ((0, 1), (1, 0))}
    assert all(430 < count < 570 for count in times.values())


def test_nothing_but_the_order_of_clips_says_which_one_x_is() -> None:
    shown = [kind().draw(PARAMS, ITEM, Random(seed)) for seed in range(20)]
    assert len({each.order[0] for each in shown}) == 2
    assert {(str(each.public), str(each.private)) for each in shown} == {("{}", "{}")}


@pytest.mark.parametrize(
    ("order", "preference", "code", "place"),
    [
        ((0, 0, 1), -1, "right", 1),
        ((0, 0, 1), 1, "wrong", 1),
        ((0, 1, 0), 1, "right", 2),
        ((1, 0, 1), 1, "right", 1),
        ((1, 1, 0), 1, "wrong", 2),
    ],
)
def test_the_answer_that_names_the_copied_clip_is_right(
    order: tuple[int, ...], preference: int, code: str, place: int
) -> None:
    [row] = kind().rows(PARAMS, Presentation(order=order), Answer(preference=preference))
    assert (row.part, row.code, row.value, row.place) == ("abx", code, float(code == "right"), place)


@pytest.mark.parametrize("settings", [{"answer": "tie"}, {"answer": "graded"}, {"pairs": "all"}])
def test_copies_go_only_with_two_answers_and_a_baseline(settings: dict[str, str]) -> None:
    with pytest.raises(Invalid):
        get("compare").params({"reference": "copy", **settings})


def test_listeners_are_right_more_often_the_more_the_clips_differ_and_guess_between_equal_ones() -> None:
    def share(first: float, second: float, *, is_careful: bool = True) -> float:
        rng, right = Random(5), 0.0
        for rater in range(600):
            shown = kind().draw(PARAMS, ItemContent(ITEM.clips, rater=rater, item=7), rng)
            chances = tuple((first, second)[clip] for clip in shown.order)
            answer = kind().simulate(PARAMS, shown, Listener(chances, is_careful), rng)
            right += kind().rows(PARAMS, shown, answer)[0].value or 0.0
        return right / 600

    assert share(0.9, 0.1) > share(0.6, 0.4) > share(0.5, 0.5)
    assert share(0.5, 0.5) == pytest.approx(0.5, abs=0.07)
    assert share(0.9, 0.1, is_careful=False) == pytest.approx(0.5, abs=0.07)

"""Human or Machine, a forced choice."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from core.errors import Invalid
from studies.task_types.base import ItemContent, Listener, Presentation
from studies.task_types.hfr import Hfr, Params

KIND = Hfr()
SHOWN = Presentation(public={"options": ["human", "machine"]})


@pytest.mark.parametrize(("label", "value"), [("human", 1.0), ("machine", 0.0)])
def test_the_rate_counts_what_passed_for_human(label: str, value: float) -> None:
    rows = KIND.rows(Params(), SHOWN, KIND.answer({"label": label}))
    assert [(row.part, row.code, row.value, row.place) for row in rows] == [("label", label, value, 0)]


def test_the_rate_is_read_in_percent() -> None:
    assert (KIND.score.name, KIND.score.unit, KIND.score.low, KIND.score.high) == ("HFR", "%", 0.0, 1.0)


@pytest.mark.parametrize("label", ["unclear", "Human", "", None])
def test_there_is_no_answer_in_between(label: str | None) -> None:
    with pytest.raises(Invalid) as refused:
        KIND.answer({"label": label})
    assert list(refused.value.problems) == ["label"]


def test_an_answer_without_a_label_is_refused_by_its_field() -> None:
    with pytest.raises(Invalid) as refused:
        KIND.answer({})
    assert list(refused.value.problems) == ["label"]


def test_no_reason_is_asked_for_unless_the_study_wants_one() -> None:
    assert Params().ask_reason is False
    answer = KIND.answer({"label": "human", "reason": " A breath before the name "})
    assert KIND.reason(answer) == "A breath before the name"
    assert KIND.problems(Params(ask_reason=True), SHOWN, KIND.answer({"label": "human"})) == {}


@pytest.mark.parametrize(
    ("role", "label", "passes"),
    [
        ("trap_flawed", "machine", True),
        ("trap_flawed", "human", False),
        ("trap_human", "human", True),
        ("trap_human", "machine", False),
    ],
)
def test_a_flawed_trap_is_a_machine_and_a_human_one_a_human(role: str, label: str, passes: bool) -> None:
    rows = KIND.rows(Params(), SHOWN, KIND.answer({"label": label}))
    assert KIND.passes(Params(), role, rows) is passes


def test_a_guesser_chooses_between_two() -> None:
    assert KIND.options == 2


def test_options_stand_in_a_fixed_order() -> None:
    orders = {tuple(KIND.draw(Params(), ItemContent(rater=rater), Random(1)).public["options"]) for rater in range(8)}
    assert orders == {("human", "machine")}


def test_counterbalanced_options_are_reversed_for_half_of_the_raters_and_stay_so_for_each() -> None:
    params = Params(option_order="counterbalanced")

    def first(rater: int, seed: int) -> str:
        return str(KIND.draw(params, ItemContent(rater=rater), Random(seed)).public["options"][0])

    assert Counter(first(rater, 1) for rater in range(100)) == {"human": 50, "machine": 50}
    assert all(len({first(rater, seed) for seed in range(20)}) == 1 for rater in range(4))


def test_a_simulated_listener_is_fooled_as_often_as_the_clip_passes() -> None:
    rng = Random(5)
    answers = [KIND.simulate(Params(), SHOWN, Listener((0.7,)), rng).label for _ in range(2000)]
    assert 0.66 < answers.count("human") / 2000 < 0.74

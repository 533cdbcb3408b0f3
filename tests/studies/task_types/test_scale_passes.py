"""Several scales in separate passes: each trial asks one scale."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from studies import task_types
from studies.definition import presets
from studies.task_types.base import AnswerRow, AnyTaskType, ItemContent, Listener, PlacedClip, Presentation

CLIP = PlacedClip("alpha", "test")


def kind_of(preset: str = "p835", **changes: Any) -> tuple[AnyTaskType, Any]:
    raw = {**presets.get(preset).definition.task, "way": "passes", **changes}
    kind = task_types.get("scales").of(raw)
    return kind, kind.params(raw)


def shown(number: int, clip: PlacedClip = CLIP, rater: int = 7, **changes: Any) -> Presentation:
    kind, params = kind_of(**changes)
    return kind.draw(params, ItemContent((clip,), rater=rater, pass_number=number), Random(1))


def test_each_pass_asks_one_scale_in_the_order_of_the_rater() -> None:
    _kind, params = kind_of()
    for rater in range(20):
        asked = [shown(number, rater=rater).public for number in (1, 2, 3)]
        assert [each["scales"] for each in asked] == [[part] for part in params.ordered(rater)]
        assert [(each["pass"], each["passes"]) for each in asked] == [(1, 3), (2, 3), (3, 3)]


def test_an_answer_holds_the_scale_of_its_pass_and_no_other() -> None:
    kind, params = kind_of()
    drawn = shown(3)
    good, more = (kind.answer({"answers": each}) for each in ({"ovrl": "4"}, {"ovrl": "4", "sig": "4"}))
    assert kind.problems(params, drawn, good) == {}
    assert kind.rows(params, drawn, good) == [AnswerRow("ovrl", "4", 4.0)]
    assert list(kind.problems(params, drawn, more)) == ["answers.sig"]
    assert list(kind.problems(params, drawn, kind.answer({"answers": {"sig": "4"}}))) == ["answers.sig", "answers.ovrl"]


def test_a_simulated_listener_answers_the_scale_that_is_asked() -> None:
    kind, params = kind_of()
    for number in (1, 2, 3):
        drawn = shown(number)
        answer = kind.simulate(params, drawn, Listener((0.5,)), Random(1))
        assert list(answer.answers) == drawn.public["scales"]
        assert kind.problems(params, drawn, answer) == {}


def test_a_trap_is_judged_where_its_main_scale_is_asked() -> None:
    trap = PlacedClip("broken", "trap_flawed", expected="2")
    kind, params = kind_of("scales", main="Naturalness", order="fixed")
    main, other = (shown(number, trap, preset="scales", main="Naturalness", order="fixed") for number in (1, 2))
    rows = kind.rows(params, main, kind.answer({"answers": {"naturalness": "2"}}))
    rest = kind.rows(params, other, kind.answer({"answers": {"intelligibility": "5"}}))
    assert [row.part for row in rows] == ["naturalness", "check"]
    assert [row.part for row in rest] == ["intelligibility"]
    assert kind.is_judged(params, rows)
    assert not kind.is_judged(params, rest)
    assert kind.passes(params, "trap_flawed", [*rest, *rows])


def test_outside_of_passes_all_scales_are_asked_at_once() -> None:
    # So in practice, and where planning simulates whole answers.
    assert shown(0).public == {"scales": kind_of()[1].ordered(7)}


def test_a_trial_of_a_pass_takes_one_play_and_its_share_of_the_time() -> None:
    kind, params = kind_of()
    assert (kind.pass_count(params), kind.plays(params)) == (3, 1)
    # 24.3 s for one choice and 12 s for each further one, over three trials.
    assert kind.seconds_a_clip(params) == pytest.approx((24.3 + 24) / 3)
    for way in ("one_page", "page_each"):
        other = params.model_copy(update={"way": way})
        assert kind.pass_count(other) == 1
    assert all(other.pass_count(params) == 1 for name, other in task_types.by_name().items() if name != "scales")

"""What every task type promises; a new one is tested here without being named."""

from __future__ import annotations

import json
from random import Random

import pytest
from django.template.loader import get_template

from core.errors import Invalid, NotFound
from studies import task_types
from studies.task_types.base import RATED, AnyTaskType, ClipFact, Item, Shown

TYPES = list(task_types.found().values())
every_type = pytest.mark.parametrize("kind", TYPES, ids=[kind.name for kind in TYPES])


def drawn(kind: AnyTaskType, seed: int = 1, role: str = "test") -> Shown:
    return kind.draw(kind.params({}), Item(role, kind.places), Random(seed))


@every_type
def test_it_has_a_template_of_its_name(kind: AnyTaskType) -> None:
    assert get_template(f"task_types/{kind.name}.html")


@every_type
def test_its_parameters_have_defaults_and_a_description_each(kind: AnyTaskType) -> None:
    assert kind.params({})
    assert all(field.description for field in kind.Params.model_fields.values())


@every_type
def test_what_was_drawn_survives_storage(kind: AnyTaskType) -> None:
    shown = drawn(kind)
    assert Shown(**json.loads(json.dumps(shown.model_dump(mode="json")))) == shown


@every_type
@pytest.mark.parametrize("quality", [0.0, 0.3, 1.0])
def test_simulated_answers_are_valid_and_give_exactly_its_columns(kind: AnyTaskType, quality: float) -> None:
    params = kind.params({})
    for seed in range(30):
        shown = drawn(kind, seed)
        answer = kind.answer(kind.simulate(params, shown, quality, Random(seed)).model_dump(mode="json"))
        assert kind.problems(params, shown, answer) == {}
        rows = kind.rows(params, shown, answer)
        assert {row.part for row in rows} == set(kind.columns)
        scored = [row.value for row in rows if row.part == kind.score.part]
        assert all(value is not None and kind.score.low <= value <= kind.score.high for value in scored)


@every_type
def test_perfect_ears_pass_the_traps_and_deaf_ones_fail(kind: AnyTaskType) -> None:
    params = kind.params({})
    for role, right, wrong in (("trap_human", 1.0, 0.0), ("trap_flawed", 0.0, 1.0)):
        shown = drawn(kind, role=role)
        for quality, passes in ((right, True), (wrong, False)):
            answer = kind.simulate(params, shown, quality, Random(1))
            assert kind.passes(params, role, kind.rows(params, shown, answer)) is passes


@every_type
def test_an_unknown_field_in_an_answer_is_refused(kind: AnyTaskType) -> None:
    with pytest.raises(Invalid) as refused:
        kind.answer({"surprise": 1})
    assert "surprise" in refused.value.problems


@every_type
def test_the_layout_uses_every_rated_clip(kind: AnyTaskType) -> None:
    clips = [ClipFact(number, "human", role, f"t{number}") for number, role in enumerate((*RATED, "training"))]
    layout = kind.layout(kind.params({}), clips)
    assert layout.problems or {clip for item in layout.items for clip in item.clips} == {0, 1, 2}


def test_an_unknown_task_type_is_named_with_the_known_ones() -> None:
    with pytest.raises(NotFound, match="ternary"):
        task_types.get("telepathy")

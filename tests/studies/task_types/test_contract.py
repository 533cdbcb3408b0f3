"""What every task type promises; a new one is tested here without being named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from django.template.loader import get_template

from analysis.papers import index
from core.errors import Invalid, NotFound
from studies import task_types
from studies.definition import presets
from studies.task_types.base import AnyTaskType, ItemContent, Listener, Presentation
from tests.studies.task_types.material import CLIPS, item_of, items, layout

TYPES = list(task_types.by_name().values())
every_type = pytest.mark.parametrize("kind", TYPES, ids=[kind.name for kind in TYPES])
every_type_with_traps = pytest.mark.parametrize(
    "kind", [kind for kind in TYPES if kind.traps], ids=[kind.name for kind in TYPES if kind.traps]
)


def drawn(kind: AnyTaskType, item: ItemContent, seed: int = 1) -> Presentation:
    """Draw a trial and give its clips keys, as a session does."""
    shown = kind.draw(kind.params({}), item, Random(seed))
    return shown.model_copy(update={"clips": tuple(f"key-{place}" for place in range(len(item.clips)))})


def json_leaves(content: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield what an answer holds, each with the names that lead to it."""
    if isinstance(content, dict):
        for name, inner in content.items():
            yield from json_leaves(inner, *path, name)
    else:
        yield path, content


def replaced(answer: dict[str, Any], path: tuple[str, ...], value: object) -> dict[str, Any]:
    """Return an answer with another value at a place."""
    first, *rest = path
    return {**answer, first: replaced(answer[first], tuple(rest), value) if rest else value}


def everybody(item: ItemContent, chance: float) -> Listener:
    return Listener((chance,) * len(item.clips))


@every_type
def test_it_has_a_template_of_its_name(kind: AnyTaskType) -> None:
    assert get_template(f"task_types/{kind.name}.html")


@every_type
def test_it_is_offered_by_a_preset(kind: AnyTaskType) -> None:
    definitions = [preset.definition for preset in presets.by_name().values()]
    assert kind.name in {definition.task_type for definition in definitions}


@every_type
def test_its_parameters_have_defaults_and_a_description_each(kind: AnyTaskType) -> None:
    assert kind.params({})
    assert all(field.description for field in kind.Params.model_fields.values())


@every_type
def test_it_makes_items_of_usual_clips_and_each_clip_is_asked_about(kind: AnyTaskType) -> None:
    found = layout(kind)
    assert found.problems == ()
    asked = {clip for item in found.items for clip in item.clips}
    assert asked >= {clip.clip for clip in CLIPS if clip.role == "test"}
    assert asked <= {clip.clip for clip in CLIPS if clip.role != "training"}


@every_type
def test_the_order_shown_holds_each_clip_of_the_item_once(kind: AnyTaskType) -> None:
    for item in items(kind):
        for seed in range(10):
            order = drawn(kind, item, seed).order or tuple(range(len(item.clips)))
            assert sorted(order) == list(range(len(item.clips)))


@every_type
def test_what_was_drawn_survives_storage(kind: AnyTaskType) -> None:
    for item in items(kind):
        shown = kind.draw(kind.params({}), item, Random(1))
        assert Presentation(**json.loads(json.dumps(shown.model_dump(mode="json")))) == shown


@every_type
def test_what_is_stored_of_a_trial_names_no_key_of_a_clip(kind: AnyTaskType) -> None:
    assert "key-0" not in drawn(kind, items(kind)[0]).model_dump_json()


@every_type
@pytest.mark.parametrize("chance", [0.0, 0.3, 1.0])
def test_simulated_answers_are_valid_and_give_rows_of_its_columns(kind: AnyTaskType, chance: float) -> None:
    params = kind.params({})
    for item in items(kind):
        for seed in range(15):
            shown = drawn(kind, item, seed)
            made = kind.simulate(params, shown, everybody(item, chance), Random(seed))
            answer = kind.answer(json.loads(made.model_dump_json()))
            assert kind.problems(params, shown, answer) == {}
            rows = kind.rows(params, shown, answer)
            assert {row.part for row in rows} <= set(kind.columns)
            assert all(row.place is None or 0 <= row.place < len(item.clips) for row in rows)
            scored = [row.value for row in rows if row.part == kind.score.part]
            assert scored
            assert all(value is not None and kind.score.low <= value <= kind.score.high for value in scored)


@every_type
def test_a_number_in_an_answer_is_no_text_and_no_truth_value(kind: AnyTaskType) -> None:
    shown = drawn(kind, items(kind)[0])
    made = kind.simulate(kind.params({}), shown, everybody(items(kind)[0], 0.5), Random(1))
    answer = json.loads(made.model_dump_json())
    for path, number in [leaf for leaf in json_leaves(answer) if isinstance(leaf[1], int)]:
        for other in (str(number), True, float(number), f"{number}e0"):
            with pytest.raises(Invalid):
                kind.answer(replaced(answer, path, other))


@every_type
def test_the_paper_that_it_names_has_tables(kind: AnyTaskType) -> None:
    assert kind.paper in ("", *index.PAPERS)


@every_type
def test_its_breakdowns_count_parts_that_it_has(kind: AnyTaskType) -> None:
    for table in kind.breakdowns:
        assert table.part in kind.columns
        assert table.per in ("", *kind.columns)
        assert all(set(codes) <= set(table.labels) for codes in table.merged.values())


# Pairs have tests of their own.
@pytest.mark.parametrize("kind", [kind for kind in TYPES if kind.traps and kind.shows == "clip"])
def test_perfect_ears_pass_the_traps_and_deaf_ones_fail(kind: AnyTaskType) -> None:
    params = kind.params({})
    for role, right, wrong in (("trap_human", 1.0, 0.0), ("trap_flawed", 0.0, 1.0)):
        item = item_of(kind, role)
        shown = drawn(kind, item)
        for chance, passes in ((right, True), (wrong, False)):
            answer = kind.simulate(params, shown, everybody(item, chance), Random(1))
            assert kind.passes(params, role, kind.rows(params, shown, answer)) is passes


@every_type_with_traps
def test_nothing_public_depends_on_the_role(kind: AnyTaskType) -> None:
    shown = [drawn(kind, item_of(kind, role)).public for role in ("test", *kind.trap_roles)]
    assert all(each == shown[0] for each in shown)


@every_type
def test_nothing_public_names_a_system_a_role_or_what_is_right(kind: AnyTaskType) -> None:
    for item in items(kind):
        public = json.dumps(drawn(kind, item).public).lower()
        for word in ("alpha", "beta", "gamma", "golden", "correct", "distractor", "phonetic", "trap"):
            assert f'"{word}"' not in public


@every_type
def test_an_unknown_field_in_an_answer_is_refused(kind: AnyTaskType) -> None:
    with pytest.raises(Invalid) as refused:
        kind.answer({"surprise": 1})
    assert "surprise" in refused.value.problems


def test_an_unknown_task_type_is_named_with_the_known_ones() -> None:
    with pytest.raises(NotFound, match="ternary"):
        task_types.get("telepathy")

"""A study's definition: defaults from the papers, and clear messages for everything else."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import Invalid, NotFound
from studies.definition import presets
from studies.definition.definition import Definition
from studies.definition.parsing import change, parse


@pytest.fixture
def raw() -> dict[str, Any]:
    return presets.get("att").definition.model_dump(mode="json")


def test_the_att_preset_is_the_papers_protocol(raw: dict[str, Any]) -> None:
    protocol = parse(raw).protocol
    assert (protocol.tests_per_batch, protocol.flawed_traps, protocol.human_traps) == (7, 1, 2)
    assert (protocol.batch_size, protocol.ratings_wanted, protocol.batches_per_session) == (10, 10, 3)
    assert (protocol.playback, protocol.repeat_text, protocol.stop_after_invalid) == ("enforce", "never", None)


def test_the_instructions_say_what_a_rater_must_know_and_no_ratio(raw: dict[str, Any]) -> None:
    text = raw["texts"]["instructions"].lower()
    for fact in ("test items", "own words", "without ai", "does not affect your pay"):
        assert fact in text
    assert not any(character.isdigit() or character == "%" for character in text)


def test_every_field_is_described() -> None:
    definition = presets.get("att").definition
    for part in (definition.protocol, definition.texts, definition.audio, definition.crowd):
        assert all(field.description for field in type(part).model_fields.values())


def test_a_dotted_key_changes_one_setting(raw: dict[str, Any]) -> None:
    changed = parse(change(raw, {"protocol.ratings_wanted": 5, "task.question": "Who?"}))
    assert (changed.protocol.ratings_wanted, changed.params.question) == (5, "Who?")
    assert raw["protocol"]["ratings_wanted"] == 10


@pytest.mark.parametrize("key", ["protocol.rating", "protocol", "nothing.at_all", "preset.x"])
def test_an_unknown_key_is_answered_with_the_known_ones(raw: dict[str, Any], key: str) -> None:
    with pytest.raises(Invalid) as refused:
        change(raw, {key: 1})
    assert "protocol.ratings_wanted" in refused.value.problems[key]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("protocol.ratings_wanted", 0),
        ("protocol.playback", "maybe"),
        ("audio.sample_rate", 12345),
        ("audio.loudness", 3),
        ("crowd.return_url", "http://plain.example/"),
        ("crowd.return_url", "javascript:alert(1)"),
        ("task.reason_graphemes", -1),
        ("texts.language", "English!"),
    ],
)
def test_a_bad_value_is_named_by_its_key(raw: dict[str, Any], key: str, value: Any) -> None:
    with pytest.raises(Invalid) as refused:
        parse(change(raw, {key: value}))
    assert list(refused.value.problems) == [key]


def test_problems_of_several_groups_come_together(raw: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as refused:
        parse(change(raw, {"protocol.ratings_wanted": 0, "task.question": ""}))
    assert set(refused.value.problems) == {"protocol.ratings_wanted", "task.question"}


def test_a_definition_survives_storage(raw: dict[str, Any]) -> None:
    assert Definition.model_validate(parse(raw).model_dump(mode="json")) == parse(raw)


def test_an_unknown_preset_is_answered_with_the_known_ones() -> None:
    with pytest.raises(NotFound, match="att"):
        presets.get("telepathy")

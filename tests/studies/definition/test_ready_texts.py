"""A study begins with its preset's texts in any language that the pages speak, and needs to translate only its own."""

from __future__ import annotations

import re
from datetime import datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core.errors import Invalid
from studies.definition import presets
from studies.definition import texts as study_texts
from studies.definition.definition import Definition
from studies.definition.parsing import parse
from studies.launch import states
from studies.models import Study
from tests.researchers import logged_in, researcher, text, url

NAMES = [name for name, _label in presets.choices()]
CHINESE = re.compile(r"[\u4e00-\u9fff]")
# Latin letters that a Chinese text may hold: the clips' own names.
LATIN = re.compile(r"\b(?!(?:A|B|X|AI)\b)[A-Za-z]+\b")


def begun(preset: str = "att", language: str = "zh-hans") -> Definition:
    return study_texts.begun_in(presets.get(preset).definition, language)


def prose(definition: Definition) -> list[str]:
    """Return every text and question that raters of a study read."""
    values: list[Any] = [*dict(definition.texts).values()]
    values += definition.kind.texts(definition.params).values()
    lines = [line for value in values for line in ((value,) if isinstance(value, str) else value) if line]
    return [line for line in lines if line != definition.texts.language]


@pytest.mark.parametrize("preset", NAMES)
def test_every_preset_is_whole_in_every_language_that_pages_speak(preset: str) -> None:
    english, chinese = begun(preset, "en"), begun(preset)
    assert english == presets.get(preset).definition
    assert chinese.texts.language == "zh-hans"
    assert len(prose(chinese)) == len(prose(english))
    for line in prose(chinese):
        assert CHINESE.search(line)
        assert not LATIN.search(line)
    assert parse(chinese.model_dump(mode="json")).model_dump(mode="json") == chinese.model_dump(mode="json")
    # Nothing but words differs.
    groups = set(Definition.model_fields) - {"texts", "task"}
    assert chinese.model_dump(include=groups) == english.model_dump(include=groups)


@pytest.mark.parametrize("preset", NAMES)
def test_a_translation_of_a_preset_lacks_nothing(preset: str) -> None:
    raw = presets.get(preset).definition.model_dump(mode="json")
    ready = study_texts.translation(presets.get(preset).definition, "zh-hans")
    definition = parse({**raw, "translations": {"zh-hans": ready}})
    assert study_texts.lacking(definition, "zh-hans") == []
    assert list(study_texts.findings(definition)) == []


def test_what_the_researcher_wrote_is_left_to_the_researcher() -> None:
    definition = presets.get("att").definition
    texts = definition.texts.model_copy(update={"consent": "Yes, I do.", "contact": "a@example.org"})
    task = {**definition.task, "question": "Whose voice is it?"}
    ready = study_texts.translation(definition.model_copy(update={"texts": texts, "task": task}), "zh-hans")
    assert {"consent", "contact"}.isdisjoint(ready)
    assert list(ready["prompts"]) == ["reason_question"]
    assert CHINESE.search(ready["instructions"])


def test_a_chinese_study_finds_its_english_ready() -> None:
    ready = study_texts.translation(begun(), "en")
    english = presets.get("att").definition
    assert ready["instructions"] == english.texts.instructions
    assert ready["good_reasons"] == english.texts.good_reasons
    assert ready["prompts"] == {name: english.task[name] for name in ("question", "reason_question")}


@pytest.mark.parametrize("language", ["ar", "zh-hant", ""])
def test_a_language_without_a_catalogue_is_begun_empty(language: str) -> None:
    assert study_texts.translation(presets.get("att").definition, language) == {}
    with pytest.raises(Invalid) as refusal:
        begun(language=language)
    assert "en, zh-hans" in refusal.value.problems["language"]


def test_a_preset_that_is_no_more_has_no_texts() -> None:
    definition = presets.get("att").definition.model_copy(update={"preset": "of-yesterday"})
    assert study_texts.translation(definition, "zh-hans") == {}


@pytest.mark.django_db
def test_a_study_is_made_in_its_own_language(now: datetime) -> None:
    given: dict[str, Any] = {"title": "声音", "preset": "hfr", "owner": None, "now": now}
    changes = {"texts.consent": "我愿意"}
    made = states.create_study(slug="voices", language="zh-cn", changes=changes, **given)
    assert made.definition.languages == ("zh-hans",)
    assert made.definition.texts.consent == "我愿意"
    assert CHINESE.search(made.definition.params.question)
    with pytest.raises(Invalid):
        states.create_study(slug="stimmen", language="de", changes={}, **given)
    assert Study.objects.count() == 1


@pytest.mark.django_db
def test_the_command_makes_a_study_in_a_language() -> None:
    call_command("create_study", "by-command", "--language=zh-hans", stdout=StringIO())
    assert Study.objects.get().definition.texts.language == "zh-hans"
    with pytest.raises(CommandError, match="language: known are en, zh-hans"):
        call_command("create_study", "another", "--language=fr")


@pytest.mark.django_db
def test_a_researcher_chooses_the_language_of_a_new_study_and_adds_the_other(now: datetime) -> None:
    owner = researcher("rosa")
    client = logged_in(owner)
    sent = {"preset": "att", "title": "声音", "slug": "voices"}
    client.post("/new-study/", {**sent, "language": "fr"})
    assert not Study.objects.exists()
    client.post("/new-study/", {**sent, "language": "zh-hans"})
    study = Study.objects.get()
    assert study.definition.texts.language == "zh-hans"
    shown = client.post(url("languages", study.slug), {"add": "1", "language": "en"}, follow=True)
    study.refresh_from_db()
    assert study.definition.translations["en"].consent == presets.get("att").definition.texts.consent
    assert study_texts.lacking(study.definition, "en") == []
    assert study.definition.texts.consent in text(shown)


@pytest.mark.parametrize("name", list(presets.by_name()))
def test_raters_read_that_their_writing_is_kept_only_where_the_task_has_a_field_for_it(name: str) -> None:
    definition = presets.get(name).definition
    kind, params = definition.kind, definition.params
    asks = kind.asks_reason(params) or kind.has_comments or name == "transcription"
    assert ("what you write" in definition.texts.information) == asks

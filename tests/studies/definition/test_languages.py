"""A study's texts in several languages: how they are kept, checked, and written by a researcher."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from core.errors import Invalid
from studies.definition import presets
from studies.definition import texts as study_texts
from studies.definition.definition import Definition
from studies.definition.parsing import change, parse
from studies.launch import states
from studies.models import Study
from tests.researchers import as_sent, logged_in, researcher, text, url
from tests.world import make_study

OWN = presets.get("att").definition
ALL = {"information": "知情", "consent": "我同意", "instructions": "说明", "debrief": "谢谢"}
PROMPTS = {"question": "谁在说话？", "reason_question": "为什么？"}


def definition(preset: str = "att", **translations: Any) -> Definition:
    raw = presets.get(preset).definition.model_dump(mode="json")
    return parse(change(raw, {f"translations.{name.replace('_', '-')}": texts for name, texts in translations.items()}))


def told(found: Definition) -> dict[str, str]:
    return {finding.level: finding.message for finding in study_texts.findings(found)}


def test_a_study_offers_its_own_language_first() -> None:
    assert definition().languages == ("en",)
    assert definition(zh_hans=ALL, ar={}).languages == ("en", "zh-hans", "ar")


def test_a_language_without_texts_reads_the_studys_own() -> None:
    found = definition(zh_hans=ALL)
    assert found.wording("zh-hans").consent == "我同意"
    assert found.wording("fr") == found.texts
    assert found.params_in("fr") == found.params


@pytest.mark.parametrize("preset", [name for name, _label in presets.choices()])
def test_every_question_of_every_task_can_be_said_in_another_language(preset: str) -> None:
    kind = presets.get(preset).definition.kind
    own = presets.get(preset).definition.params
    others = kind.texts(own)
    said = {
        name: tuple("一二三四五六七八九十" * 9)[: len(was)] if isinstance(was, tuple) else "问题？"
        for name, was in others.items()
    }
    assert said
    params = definition(preset, zh_hans={"prompts": said}).params_in("zh-hans")
    assert kind.texts(params) == said
    assert kind.params(kind.with_texts(params.model_dump(mode="json"), others)) == own


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"en": {}}, "translations.en"),
        ({"Deutsch!": {}}, "translations.Deutsch!"),
        ({"de": {"consents": "Ja"}}, "translations.de.consents"),
        ({"de": {"prompts": {"no_question": "?"}}}, "translations.de.prompts.no_question"),
        ({"de": {"prompts": {"question": "x" * 301}}}, "translations.de.prompts.question"),
    ],
)
def test_what_a_translation_can_not_be_is_named(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as refusal:
        definition(**changes)
    assert any(found.startswith(field) for found in refusal.value.problems)


def test_a_translation_of_scales_that_lost_its_fit_blocks_the_launch_and_raters_read_the_original() -> None:
    raw = presets.get("p835").definition.model_dump(mode="json")
    ready = study_texts.translation(presets.get("p835").definition, "zh-hans")
    raw["task"]["scales"].pop()
    study = parse({**raw, "translations": {"zh-hans": ready}})
    assert study_texts.lacking(study, "zh-hans") == ["scales"]
    assert study.params_in("zh-hans") == study.params


def test_a_study_is_launched_once_every_language_has_all_texts() -> None:
    assert told(definition(zh_hans={**ALL, "prompts": PROMPTS})) == {}
    missing = told(definition(zh_hans={**ALL, "consent": "", "prompts": {"question": "谁？"}}))
    assert missing == {
        "blocking": "The texts in 简体中文 (zh-hans) lack Consent, Reason question: write them under Languages."
    }


def test_it_is_told_when_the_pages_own_words_are_in_english() -> None:
    assert "catalogue of Deutsch (de)" in told(definition(de={**ALL, "prompts": PROMPTS}))["warning"]


@pytest.mark.django_db
def test_a_language_comes_whole_and_goes_whole(now: datetime) -> None:
    study = make_study(now=now, launch=False)
    states.change_settings(study=study, changes={"translations.zh-hans": ALL, "texts.contact": "a@example.org"})
    assert study.definition.translations["zh-hans"].consent == "我同意"
    states.change_settings(study=study, changes={"translations.zh-hans": None})
    assert study.definition.translations == {}
    # A draft of an earlier release knows no translations.
    del study.draft["translations"]
    study.save()
    states.change_settings(study=study, changes={"translations.ar": {}})
    assert study.definition.languages == ("en", "ar")


@pytest.mark.django_db
def test_a_researcher_adds_a_language_writes_its_texts_and_takes_it_away(now: datetime) -> None:
    owner = researcher("rosa")
    study = make_study(now=now, launch=False)
    Study.objects.filter(pk=study.pk).update(owner=owner)
    client = logged_in(owner)
    address = url("languages", study.slug)
    added = client.post(address, {"add": "1", "language": "zh-hant"}, follow=True)
    form = added.context["form"]
    shown = text(added)
    assert study.definition.texts.consent in shown, "what is to be translated stands beside its field"
    sent = {**as_sent(form), "keep": "1", "texts__consent": "我同意", "texts__good_reasons": "停顿太长\r\n换气自然"}
    kept = client.post(f"{address}?language=zh-hant", {**sent, "prompts__question": "谁在说话？"}, follow=True)
    study.refresh_from_db()
    translation = study.definition.translations["zh-hant"]
    assert (translation.consent, translation.good_reasons) == ("我同意", ("停顿太长", "换气自然"))
    assert translation.prompts == {"question": "谁在说话？"}
    assert "Information sheet, Instructions, Debrief, Reason question" in text(kept)
    wrong = client.post(f"{address}?language=zh-hant", {**sent, "prompts__question": "问" * 301})
    assert "300" in text(wrong)
    client.post(address, {"take_away": "zh-hant"})
    study.refresh_from_db()
    assert study.definition.translations == {}


@pytest.mark.django_db
def test_strangers_change_no_language(now: datetime) -> None:
    study = make_study(now=now, launch=False)
    Study.objects.filter(pk=study.pk).update(owner=researcher("rosa"))
    client = logged_in(researcher("otto"))
    assert client.post(url("languages", study.slug), {"add": "1", "language": "ar"}).status_code == 404
    study.refresh_from_db()
    assert study.definition.languages == ("en",)

"""Questions in a further language, as researchers write them: on the page of languages, by the API, and at a start."""

from __future__ import annotations

import json
from datetime import datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import translation

from core.errors import Invalid
from studies.definition.question_lists import in_language
from studies.launch import states
from studies.models import Study
from tests.researchers import as_sent, logged_in, researcher, text, url
from tests.studies.definition.test_question_lists import CHINESE, ENGLISH, RULES
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
FIELD = "translations.zh-hans.questions.screening.questions"
WRONG = {"questions": {"screening.questions": ("多少次？ | 一次 | *两次 | 随便", "是吗？ | 是 | *否")}}


def make(now: datetime, **settings: Any) -> Study:
    asked = {name.replace(".", "__"): value for name, value in ENGLISH.items()}
    return make_study(now=now, launch=False, **asked, **settings)


def drafted(study: Study) -> dict[str, Any]:
    return dict(Study.objects.get(pk=study.pk).draft)


def test_a_list_that_does_not_fit_is_refused_and_nothing_changes(now: datetime) -> None:
    study = make(now, **{"translations__zh-hans": {"consent": "我同意"}})
    before = drafted(study)
    with pytest.raises(Invalid) as refused:
        states.change_settings(
            study=study, changes={"translations.zh-hans": {"consent": "好", **WRONG}, "texts.contact": "a@b.example"}
        )
    assert refused.value.problems == {
        FIELD: "简体中文 (zh-hans), “Questions on the instructions”: Line 1 has its star before answer 2, and the "
        "original before answer 1."
    }
    assert drafted(study) == before


def test_what_differs_is_said_in_the_language_of_whoever_writes_it(now: datetime) -> None:
    with translation.override("zh-hans"), pytest.raises(Invalid) as refused:
        states.change_settings(study=make(now), changes={"translations.zh-hans": WRONG})
    assert "第 1 行" in refused.value.problems[FIELD]


def test_the_original_may_change_and_its_translation_waits_until_it_is_mended(now: datetime) -> None:
    study = make(now)
    states.change_settings(study=study, changes={"translations.zh-hans": {"questions": CHINESE}})
    states.change_settings(study=study, changes={"screening.questions": [*RULES, "More? | *Yes | No"]})
    assert in_language(study.definition, "zh-hans").screening.questions[-1] == "More? | *Yes | No"
    # Other texts of this language can be written meanwhile; the list itself must fit once it is touched.
    states.change_settings(study=study, changes={"translations.zh-hans": {"consent": "好", "questions": CHINESE}})
    short = {**CHINESE, "screening.questions": CHINESE["screening.questions"][:1]}
    with pytest.raises(Invalid, match="doesn’t fit the original"):
        states.change_settings(study=study, changes={"translations.zh-hans": {"questions": short}})
    mended = {**CHINESE, "screening.questions": (*CHINESE["screening.questions"], "还有？ | *是 | 否")}
    states.change_settings(study=study, changes={"translations.zh-hans": {"questions": mended}})
    assert in_language(study.definition, "zh-hans").screening.questions == mended["screening.questions"]


def test_both_may_be_written_at_once(now: datetime) -> None:
    study = make(now)
    spoken = {"questions": {"screening.questions": ["甲？ | *一 | 二"]}}
    changes = {"screening.questions": ["A? | *a | b"], "translations.zh-hans": spoken}
    states.change_settings(study=study, changes=changes)
    assert in_language(study.definition, "zh-hans").screening.questions == ("甲？ | *一 | 二",)


def test_a_study_is_made_with_its_translations_or_not_at_all(now: datetime) -> None:
    given: dict[str, Any] = {"slug": "spoken", "title": "T", "preset": "att", "owner": None, "now": now}
    with pytest.raises(Invalid, match="doesn’t fit the original"):
        states.create_study(changes={**ENGLISH, "translations.zh-hans": WRONG}, **given)
    assert not Study.objects.exists()
    made = states.create_study(changes={**ENGLISH, "translations.zh-hans": {"questions": CHINESE}}, **given)
    assert made.definition.translations["zh-hans"].questions == CHINESE


def test_the_command_takes_a_translation_and_names_what_does_not_fit() -> None:
    asked = ["screening.comprehension=flag", f"screening.questions={json.dumps(RULES)}"]
    given = [f"--set={each}" for each in asked]
    with pytest.raises(CommandError, match=r"(?s)zh-hans.*Line 1 has its star"):
        call_command("create_study", "spoken", *given, f"--set=translations.zh-hans={json.dumps(WRONG)}")
    fit = {"questions": {"screening.questions": CHINESE["screening.questions"]}}
    call_command("create_study", "spoken", *given, f"--set=translations.zh-hans={json.dumps(fit)}", stdout=StringIO())
    assert in_language(Study.objects.get().definition, "zh-hans").screening.questions == CHINESE["screening.questions"]


def test_a_researcher_writes_the_questions_beside_the_originals(now: datetime) -> None:
    owner = researcher("rosa")
    study = make(now)
    Study.objects.filter(pk=study.pk).update(owner=owner)
    client, address = logged_in(owner), url("languages", study.slug)
    added = client.post(address, {"add": "1", "language": "zh-hans"}, follow=True)
    assert RULES[0] in text(added), "what is to be translated stands beside its field"
    assert "Questions on the instructions, Attention checks, Your own questions after the ratings</td>" in text(added)
    sent = {**as_sent(added.context["form"]), "keep": "1"}
    sent["questions__screening_questions"] = "\r\n".join(CHINESE["screening.questions"])
    sent["questions__questionnaire_questions"] = "\r\n\r\n".join(CHINESE["questionnaire.questions"])
    kept = client.post(f"{address}?language=zh-hans", sent, follow=True)
    del (expected := dict(CHINESE))["screening.attention"]
    found = Study.objects.get(pk=study.pk).definition.translations["zh-hans"].questions
    assert found == expected
    assert "Attention checks</td>" in text(kept)
    assert as_sent(kept.context["form"])["questions__screening_questions"] == sent["questions__screening_questions"]
    wrong = client.post(
        f"{address}?language=zh-hans", {**sent, "questions__screening_questions": "多少次？ | *一次 | 两次"}
    )
    [message] = wrong.context["form"].errors["questions__screening_questions"]
    assert "Line 1 has 2 answers, and the original has 3. Line 2 is missing." in message
    assert "多少次？ | *一次 | 两次" in text(wrong), "what was written is not lost"
    assert Study.objects.get(pk=study.pk).definition.translations["zh-hans"].questions == found
    unreadable = client.post(
        f"{address}?language=zh-hans", {**sent, "questions__screening_questions": "多少次？ | 一次"}
    )
    assert "only one choice" in unreadable.context["form"].errors["questions__screening_questions"][0]


def test_the_page_of_languages_says_what_no_longer_fits(now: datetime) -> None:
    owner = researcher("rosa")
    study = make(now)
    Study.objects.filter(pk=study.pk).update(owner=owner)
    states.change_settings(study=study, changes={"translations.zh-hans": {"questions": CHINESE}})
    states.change_settings(study=study, changes={"screening.questions": RULES[:1]})
    shown = text(logged_in(owner).get(url("languages", study.slug)))
    assert "Questions on the instructions no longer fit the original: Line 2 is one too many." in shown


def test_lists_that_are_nowhere_have_no_field(now: datetime) -> None:
    owner = researcher("rosa")
    study = make_study(now=now, launch=False, translations__ar={})
    Study.objects.filter(pk=study.pk).update(owner=owner)
    form = logged_in(owner).get(f"{url('languages', study.slug)}?language=ar").context["form"]
    assert not [name for name in form.fields if name.startswith("questions__")]

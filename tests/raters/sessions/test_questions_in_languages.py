"""Questions in a rater's own language: what the pages show, and that what is kept knows no language."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from raters.models import CheckResult, Response, Session
from raters.sessions import lifecycle, questionnaire
from raters.sessions.questionnaire import QuestionnaireAnswer
from studies.models import Study
from tests import world
from tests.raters.sessions.screening.listener import QUESTIONS, Listener, right, wrong
from tests.world import Person

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
ABOUT = ("Do you sing? | Often | Never", "Anything else?")
CHINESE = {
    "screening.questions": ("一个片段可以播放几次？ | *想听几次都行 | 一次", "报酬取决于什么？ | 我的答案 | *参加本身"),
    "questionnaire.questions": ("您唱歌吗？ | 经常 | 从不", "还有什么要说的？"),
}
ARABIC = {
    "screening.questions": (
        "كم مرة يمكن تشغيل المقطع؟ | *كما أشاء | مرة",
        "على ماذا يعتمد الأجر؟ | إجاباتي | *مشاركتي",
    ),
    "questionnaire.questions": ("هل تغني؟ | كثيرا | أبدا", "هل من شيء آخر؟"),
}


def make(now: datetime, **settings: Any) -> Study:
    given: dict[str, Any] = {
        "protocol__batches_per_session": 1,
        "protocol__tests_per_batch": 1,
        "protocol__human_traps": 1,
        "screening__comprehension": "screen_out",
        "screening__questions": QUESTIONS,
        "questionnaire__gender": True,
        "questionnaire__questions": ABOUT,
        "translations__zh-hans": {"questions": CHINESE},
        "translations__ar": {"questions": ARABIC},
        # Offered, and not a question of it written.
        "translations__fa": {},
        **settings,
    }
    return world.make_study(now=now, **given)


def reader(study: Study, now: datetime, language: str) -> Listener:
    """Return somebody before the questions on the instructions, who reads in this language."""
    person = Listener(study, now)
    lifecycle.change_language(session_id=person.session.pk, language=language)
    return person.agree().read()


def told(study: Study, now: datetime, language: str) -> tuple[Listener, Client]:
    """Return somebody at the questions after the ratings, with the browser."""
    person = reader(study, now, language)
    Session.objects.filter(pk=person.session.pk).update(step=Session.Step.QUESTIONS)
    return person, world.carry(person)


@pytest.mark.parametrize(
    ("language", "attributes", "lines"),
    [
        ("en", 'lang="en" dir="ltr"', QUESTIONS),
        ("zh-hans", 'lang="zh-hans" dir="ltr"', CHINESE["screening.questions"]),
        ("ar", 'lang="ar" dir="rtl"', ARABIC["screening.questions"]),
        ("fa", 'lang="en" dir="ltr"', QUESTIONS),
    ],
)
def test_the_questions_on_the_instructions_are_asked_in_the_language_of_the_pages(
    now: datetime, language: str, attributes: str, lines: tuple[str, ...]
) -> None:
    study = make(now)
    person = reader(study, now, language)
    page = world.carry(person).get(f"/rate/{study.slug}/check/").text
    for line in lines:
        text, *choices = [part.strip() for part in line.split("|")]
        assert f"<legend {attributes}>{text}</legend>" in page
        for choice in choices:
            assert f"<span {attributes}>{choice.removeprefix('*')}</span>" in page
    assert page.count("<legend") == len(lines)
    # Neither the star nor the place that it had tells a browser what is right.
    assert not re.search(r"\*(?!/)", page.partition("<main")[2])
    values = re.findall(r'name="question\d" value="(\d)"([^>]*)>', page)
    assert values == [("0", ""), ("1", "")] * len(lines)


def test_one_is_right_in_every_language_who_chooses_what_the_original_says(now: datetime) -> None:
    study = make(now)
    kept = []
    for language in ("en", "zh-hans", "ar", "fa"):
        person = reader(study, now, language)
        drawn = person.at.result.drawn
        assert person.send(wrong(person.at.result)) == {}
        assert person.send(right(person.at.result)) == {}
        assert person.step == Session.Step.RATING
        result = person.result("comprehension")
        kept.append((drawn[0]["orders"], result.answers, result.passed, result.right, result.of))
    assert kept == kept[:1] * 4, "the shuffle and what is kept are the same, whatever language was read"
    assert CheckResult.objects.values_list("rule_version", flat=True).distinct().get() == 1


def test_own_questions_are_asked_in_the_language_of_the_pages_and_kept_as_numbers(now: datetime) -> None:
    study = make(now)
    for language, attributes, lines in (
        ("zh-hans", 'lang="zh-hans" dir="ltr"', CHINESE["questionnaire.questions"]),
        ("ar", 'lang="ar" dir="rtl"', ARABIC["questionnaire.questions"]),
        ("fa", 'lang="en" dir="ltr"', ABOUT),
    ):
        person, client = told(study, now, language)
        address = f"/rate/{study.slug}/questions/"
        page = client.get(address).text
        question, first, second = [part.strip() for part in lines[0].split("|")]
        assert f"<legend {attributes}>{question}</legend>" in page
        assert f"<span {attributes}>{first}</span>" in page
        assert f"<span {attributes}>{second}</span>" in page
        assert f"<span {attributes}>{lines[1]}</span></label>" in page
        assert '<legend dir="auto">' in page, "what the product asks is in the language of its pages"
        refused = client.post(address, {"own_1": "3"})
        assert refused.status_code == 422
        assert f"<legend {attributes}>{question}</legend>" in refused.text
        assert client.post(address, {"own_1": "2", "own_2": "—"}).status_code == 303
        rows = Response.objects.filter(session=person.session.pk).order_by("pk")
        assert list(rows.values_list("key", "code", "words")) == [
            ("gender", "skipped", ""),
            ("own_1", "2", ""),
            ("own_2", "", "—"),
        ]


def test_own_questions_can_be_left_out_in_every_language(now: datetime) -> None:
    person = Person(make(now), now)
    lifecycle.change_language(session_id=person.session.pk, language="ar")
    Session.objects.filter(pk=person.session.pk).update(step=Session.Step.QUESTIONS)
    questionnaire.store(session_id=person.session.pk, responses=[QuestionnaireAnswer("own_1", "1")], now=now)
    assert dict(Response.objects.values_list("key", "code")) == {"gender": "skipped", "own_1": "1", "own_2": "skipped"}

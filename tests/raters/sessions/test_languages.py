"""A rater's pages in several languages: which one, what it is made of, and what is kept of it."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from raters.models import Session
from raters.rating import monitor
from raters.sessions import lifecycle
from studies.models import Study
from tests import world

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
ARABIC: dict[str, Any] = {
    "title": "أصوات",
    "information": "ستسمع مقاطع قصيرة.",
    "consent": "أوافق على المشاركة.",
    "instructions": "استمع إلى كل مقطع حتى نهايته.",
    "debrief": "كان هذا عن الأصوات.",
    "prompts": {"question": "من المتكلم؟", "reason_question": "لماذا؟"},
}
CHINESE: dict[str, Any] = {
    "title": "听音研究",
    "information": "您会听到一些短音频。",
    "consent": "我同意参加。",
    "instructions": "请听完每段音频。",
    "debrief": "这是关于声音的研究。",
    "contact": "lab@example.org",
    "prompts": {"question": "谁在说话？", "reason_question": "为什么？"},
}
QUERY = {"PROLIFIC_PID": "p1", "STUDY_ID": "ext", "SESSION_ID": "s1"}


@pytest.fixture
def study(now: datetime, files: Any) -> Study:
    texts: dict[str, Any] = {"translations__ar": ARABIC, "translations__zh-hans": CHINESE}
    return world.make_study(now=now, texts__contact="us@example.org", **texts)


def come(client: Client, study: Study, accepted: str = "", **query: str) -> str:
    """Come by the study's link; returns the first page."""
    found = client.get(f"/s/{study.slug}/", {**QUERY, **query}, headers={"Accept-Language": accepted}, follow=True)
    return str(found.content.decode())


def page(client: Client, study: Study, name: str, **sent: Any) -> str:
    address = f"/rate/{study.slug}/{name}/"
    found = client.post(address, sent, follow=True) if sent else client.get(address, follow=True)
    return str(found.content.decode())


@pytest.mark.parametrize(
    ("accepted", "query", "language"),
    [
        ("zh-CN", {}, "zh-hans"),
        ("ar-EG,en", {}, "ar"),
        ("fr", {}, "en"),
        ("zh-CN", {"lang": "ar"}, "ar"),
        ("zh-CN", {"lang": "fr"}, "zh-hans"),
    ],
)
def test_the_first_page_is_in_the_language_that_was_asked_for(
    client: Client, study: Study, accepted: str, query: dict[str, str], language: str
) -> None:
    shown = come(client, study, accepted, **query)
    assert f'<html lang="{language}"' in shown
    assert Session.objects.get().language == language


def test_a_study_in_one_language_asks_nobody(client: Client, now: datetime, files: Any) -> None:
    shown = come(client, world.make_study(now=now, texts__language="zh-hans"), "ar")
    assert '<html lang="zh-hans" dir="ltr">' in shown
    assert 'name="language"' not in shown
    assert "我同意" not in shown, "the researcher's own sentence stands there"
    assert "同意并继续" in shown


def test_all_that_the_researcher_wrote_is_in_that_language(client: Client, study: Study) -> None:
    shown = come(client, study, lang="zh-hans")
    assert CHINESE["information"] in shown
    assert CHINESE["consent"] in shown
    assert "<title>知情同意 · 听音研究</title>" in shown
    page(client, study, "consent", decision="agree", agreed="on")
    assert CHINESE["instructions"] in page(client, study, "instructions")
    trial = page(client, study, "instructions", begin="1")
    assert "谁在说话？" in trial
    assert "为什么？" in trial
    assert "请听完整段音频，再作答。" in trial
    left = page(client, study, "leave", why="broken")
    assert CHINESE["debrief"] in left
    assert "lab@example.org" in left


def test_what_a_translation_leaves_open_is_the_studys_own(client: Client, study: Study) -> None:
    assert "us@example.org" in come(client, study, lang="ar")


def test_another_language_may_be_chosen_until_one_has_agreed(client: Client, study: Study) -> None:
    shown = come(client, study, lang="ar")
    assert 'lang="zh-hans"><bdi>简体中文</bdi>' in shown
    assert '<html lang="zh-hans"' in page(client, study, "consent", language="zh-hans")
    assert '<html lang="zh-hans"' in page(client, study, "consent", language="tlh")
    page(client, study, "consent", decision="agree", agreed="on")
    page(client, study, "consent", language="ar")
    assert Session.objects.get().language == "zh-hans"


def test_consent_that_was_read_in_another_language_than_chosen_since_is_asked_once_more(
    client: Client, study: Study
) -> None:
    shown = come(client, study, lang="ar")
    assert '<input type="hidden" name="read_in" value="ar">' in shown
    page(client, study, "consent", language="zh-hans")
    again = page(client, study, "consent", decision="agree", agreed="on", read_in="ar")
    assert 'name="read_in" value="zh-hans"' in again
    assert Session.objects.get().consented_at is None
    page(client, study, "consent", decision="agree", agreed="on", read_in="zh-hans")
    assert Session.objects.get().consented_at is not None


def test_a_second_click_on_the_link_keeps_the_language_chosen(client: Client, study: Study) -> None:
    come(client, study, lang="ar")
    page(client, study, "consent", language="zh-hans")
    assert '<html lang="zh-hans"' in come(client, study, lang="ar")


def test_the_consent_is_to_the_very_text_that_was_read(client: Client, study: Study) -> None:
    come(client, study, lang="ar")
    page(client, study, "consent", decision="agree", agreed="on")
    read = f"{ARABIC['information']}\n{ARABIC['consent']}"
    assert Session.objects.get().consent_sha256 == hashlib.sha256(read.encode()).hexdigest()


def test_a_refused_answer_is_explained_in_the_raters_language(study: Study, now: datetime) -> None:
    person = world.Person(study, now)
    lifecycle.change_language(session_id=person.session.pk, language="zh-hans")
    person.start()
    sent = {"tab": person.current.tab, "key": str(uuid4()), "answer": {"label": "human", "reason": "短"}}
    address = f"/rate/{study.slug}/api/answers/{person.current.trial.token}"
    refused = world.carry(person).post(address, sent, content_type="application/json")
    assert refused.status_code == 422
    assert refused.json()["problems"] == {"reason": "请至少写 8 个字（字母或数字）；还差 7 个。"}


def test_the_language_goes_with_the_session_into_the_data(study: Study, now: datetime) -> None:
    person = world.Person(study, now)
    other = world.Person(study, now)
    lifecycle.change_language(session_id=other.session.pk, language="ar")
    assert person.session.language == "en"
    assert [row["language"] for row in monitor.sessions_table(study.pk, simulated=False)] == ["en", "ar"]


def test_a_session_of_an_earlier_release_goes_on_in_the_studys_language(client: Client, study: Study) -> None:
    come(client, study, lang="ar")
    Session.objects.update(language="")
    assert '<html lang="en"' in page(client, study, "consent")

"""Reasons that are too long or hold what no database stores, sent as JSON and by the page of a practice clip."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from core import clock
from raters.models import Answer, CheckResult
from tests.raters.sessions.screening.listener import ALL, Listener
from tests.raters.sessions.screening.listener import make_study as make_practice
from tests.world import REASON, Person, carry, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]

TOO_LONG = "x" * 5000
# What is written in the JSON, and what is stored of it.
ODD = {
    "nul": (f"\\u0000{REASON}\\u0000", REASON),
    "half an emoji": (f"{REASON} \\ud83d", f"{REASON} \ufffd"),
    "the other half": (f"\\uDE00 {REASON}", f"\ufffd {REASON}"),
    "a whole emoji": (f"{REASON} \\ud83d\\ude00", f"{REASON} 😀"),
    "halves in the wrong order": (f"{REASON} \\ude00\\ud83d", f"{REASON} \ufffd\ufffd"),
}
odd = pytest.mark.parametrize(("sent", "stored"), ODD.values(), ids=ODD)
# JSON is UTF-8 (RFC 8259): neither halves of an emoji as bytes, nor another encoding.
NOT_UTF8 = {
    "half an emoji as bytes": lambda body: body.replace(b"REASON", b"\xed\xa0\xbd"),
    "Latin-1": lambda body: body.replace(b"REASON", "é".encode("latin-1")),
    "UTF-16": lambda body: body.decode().encode("utf-16"),
    "a NUL as it is": lambda body: body.replace(b"REASON", b"\0"),
}


@pytest.fixture
def person(now: datetime, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Return somebody who has heard the first clip."""
    person = Person(make_study(now=now), now).start()
    monkeypatch.setattr(clock, "now", lambda: person.now)
    person.fetch()
    person.play()
    person.wait(3)
    return person


def body(person: Person, reason: str) -> bytes:
    """Return an answer as it goes over the wire; `reason` stands there as it is."""
    sent = {"tab": person.current.tab, "key": str(uuid4()), "answer": {"label": "human", "reason": "…"}}
    return json.dumps(sent, ensure_ascii=False).replace("…", reason).encode()


def post(person: Person, content: bytes) -> Any:
    address = f"/rate/{person.study.slug}/api/answers/{person.current.trial.token}"
    return carry(person).post(address, content, content_type="application/json")


def test_a_reason_of_five_thousand_characters_is_refused_and_the_trial_stays_open(person: Person) -> None:
    refused = post(person, body(person, TOO_LONG))
    assert refused.status_code == 422
    assert refused.json()["problems"] == {"reason": "Please write at most 4000 characters."}
    assert not Answer.objects.exists()
    assert carry(person).get(f"/rate/{person.study.slug}/trial/").status_code == 200
    person.load()
    assert post(person, body(person, TOO_LONG[:4000])).status_code == 200
    assert Answer.objects.get().reason == TOO_LONG[:4000]


def test_what_is_too_long_is_said_in_the_raters_language(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(make_study(now=now, texts__language="zh-hans"), now).start()
    monkeypatch.setattr(clock, "now", lambda: person.now)
    refused = post(person, body(person, TOO_LONG))
    assert refused.json()["problems"] == {"reason": "请最多写 4000 个字符。"}


@odd
def test_what_no_database_stores_is_left_out_or_replaced_and_the_rest_is_kept(
    person: Person, sent: str, stored: str
) -> None:
    assert post(person, body(person, sent)).status_code == 200
    assert Answer.objects.get().reason == stored


@pytest.mark.parametrize("spoiled", NOT_UTF8.values(), ids=NOT_UTF8)
def test_what_is_no_utf_8_is_refused_and_the_trial_stays_open(person: Person, spoiled: Any) -> None:
    refused = post(person, spoiled(body(person, "REASON")))
    assert (refused.status_code, refused.json()["error"]) == (400, "unreadable")
    assert refused.json()["message"] == "That is no JSON object in UTF-8."
    assert post(person, body(person, REASON)).status_code == 200


@pytest.mark.parametrize("where", ["reason", "label", "tab", "key", "\\ud83d", "\\u0000"])
def test_no_part_of_an_answer_breaks_the_server(person: Person, where: str) -> None:
    content = body(person, REASON).decode().replace(f'"{where}": "', f'"{where}": "\\udc00\\u0000', 1)
    content = content.replace('"label"', f'"{where}": "x", "label"') if where.startswith("\\") else content
    assert post(person, content.encode()).status_code in {200, 409, 422}
    assert post(person, body(person, REASON)).status_code in {200, 409}


@pytest.fixture
def practice(now: datetime, monkeypatch: pytest.MonkeyPatch) -> Listener:
    """Return somebody at the first clip of the practice."""
    person = Listener(make_practice(now, **ALL), now).agree().go().read().go(until="training")
    monkeypatch.setattr(clock, "now", lambda: person.now)
    return person


def send(person: Listener, answer: str) -> Any:
    browser: Client = carry(person)
    return browser.post(f"/rate/{person.study.slug}/check/", {"at": person.at.at, "answer": answer})


@odd
def test_a_practice_clip_takes_the_same(practice: Listener, sent: str, stored: str) -> None:
    assert send(practice, f'{{"label": "human", "reason": "{sent}"}}').status_code == 303
    assert CheckResult.objects.get(name="training").answers[0][0]["body"]["reason"] == stored


def test_a_practice_clip_refuses_a_reason_of_five_thousand_characters(practice: Listener) -> None:
    refused = send(practice, json.dumps({"label": "human", "reason": TOO_LONG}))
    assert refused.status_code == 422
    assert "Please write at most 4000 characters." in refused.text
    assert send(practice, json.dumps({"label": "human", "reason": REASON})).status_code == 303

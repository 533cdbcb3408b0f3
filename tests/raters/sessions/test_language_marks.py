"""Which language and direction every sentence of a rater's page has, where the interface isn't translated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from raters.models import Session
from tests import kinds
from tests.raters.sessions.test_languages import ARABIC, come, page

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
VOID = {"input", "br", "img", "link", "meta", "hr", "path"}
PROMPTS: dict[str, dict[str, Any]] = {
    "ternary": {"question": "من المتكلم؟", "reason_question": "لماذا؟"},
    "hfr_granular": {"question": "من المتكلم؟", "reason_question": "لماذا؟", "markers_question": "ما السبب؟"},
    "mushra": {"question": "ما الجودة؟"},
    "cmos": {"question": "أيهما أفضل؟"},
    "acr": {"question": "ما الجودة؟", "names": ["ممتاز", "جيد", "مقبول", "ضعيف", "سيئ"]},
    "sp_mcqa": {"question": "ماذا سمعت؟", "other_label": "غير ذلك", "comment_question": "ماذا سمعت؟"},
}
# What no reader is shown, and keys and codes that are no sentences.
SILENT = {"script", "style", "title", "kbd", "code", "svg"}
LATIN, RIGHT_TO_LEFT = re.compile(r"[A-Za-z]{2,}"), re.compile(r"[\u0590-\u08ff]")


class Marks(HTMLParser):
    """Collects each text of a page with the language and the direction that it has."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, str, str]] = [("", "", "")]
        self.texts: list[tuple[str, str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        _tag, language, direction = self.open[-1]
        if tag == "bdi":
            direction = "auto"
        if tag not in VOID:
            self.open.append((tag, own.get("lang") or language, own.get("dir") or direction))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        while self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if data.strip() and not SILENT & {tag for tag, _language, _direction in self.open}:
            self.texts.append((data.strip(), *self.open[-1][1:]))


def marks(html: str) -> list[tuple[str, str, str]]:
    parser = Marks()
    parser.feed(html)
    return parser.texts


def pages(client: Client, study: Any, now: datetime) -> Iterator[str]:
    """Walk through a session in Arabic and back out of it."""
    yield come(client, study, lang="ar")
    yield page(client, study, "consent", decision="agree")
    yield page(client, study, "consent", decision="agree", agreed="on")
    yield page(client, study, "information")
    yield page(client, study, "check")
    Session.objects.update(step=Session.Step.INSTRUCTIONS)
    yield page(client, study, "instructions")
    Session.objects.update(step=Session.Step.RATING)
    yield page(client, study, "trial")
    yield page(client, study, "leave")
    Session.objects.update(step=Session.Step.QUESTIONS)
    yield page(client, study, "questions")
    Session.objects.update(step=Session.Step.ENDED, ended_at=now, outcome="complete")
    yield page(client, study, "end")
    yield page(client, study, "your-data")


@pytest.mark.parametrize("kind", PROMPTS)
def test_english_in_an_arabic_page_is_marked_as_english_from_left_to_right(
    client: Client, now: datetime, kind: str
) -> None:
    arabic = {**ARABIC, "prompts": PROMPTS[kind]}
    study = kinds.make(
        kind,
        now=now,
        translations__ar=arabic,
        crowd__completion_code="DONE1",
        questionnaire__gender=True,
        screening__device="screen_out",
    )
    seen = 0
    for html in pages(client, study, now):
        assert '<html lang="ar" dir="rtl">' in html
        for text, language, direction in marks(html):
            if RIGHT_TO_LEFT.search(text):
                assert language == "ar", text
                assert direction in ("rtl", "auto"), text
            elif LATIN.search(text):
                assert language == "en", text
                assert direction in ("ltr", "auto"), text
                seen += 1
    assert seen > 60


def test_chinese_pages_need_no_marks_of_their_own(client: Client, now: datetime) -> None:
    html = come(client, kinds.make("hfr", now=now, texts__language="zh-hans"))
    assert '<html lang="zh-hans" dir="ltr">' in html
    assert '<main id="main"' in html

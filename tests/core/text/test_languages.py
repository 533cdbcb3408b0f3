"""Which language somebody meets."""

from __future__ import annotations

import pytest
from django.http import HttpRequest
from django.test import Client, RequestFactory

from core.text import languages
from core.text.words import say
from tests.researchers import logged_in, researcher, text

CHINESE = {"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"}


def asking(address: str = "/", accepted: str = "") -> HttpRequest:
    return RequestFactory().get(address, headers={"Accept-Language": accepted})


@pytest.mark.parametrize(
    ("wanted", "offered", "found"),
    [
        (["zh-cn"], ["en", "zh-hans"], "zh-hans"),
        (["zh"], ["en", "zh-hans"], "zh-hans"),
        (["zh-hans"], ["en", "zh"], "zh"),
        (["zh-tw", "en"], ["zh-hans", "en"], "en"),
        (["zh-hk"], ["zh-hans", "zh-hant"], "zh-hant"),
        (["en-us"], ["ar", "en"], "en"),
        (["pt"], ["pt-br"], "pt-br"),
        (["fr", "ar"], ["en", "ar"], "ar"),
        (["*"], ["en"], ""),
        ([""], ["en"], ""),
        ([], ["en"], ""),
    ],
)
def test_the_nearest_language_is_found(wanted: list[str], offered: list[str], found: str) -> None:
    assert languages.matched(wanted, offered) == found


@pytest.mark.parametrize(
    ("address", "accepted", "found"),
    [
        ("/?lang=ar", "zh-CN", "ar"),
        ("/?lang=AR", "", "ar"),
        ("/?lang=fr", "zh-CN,en;q=0.5", "zh-hans"),
        ("/", "en;q=0.2, ar;q=0.9", "ar"),
        ("/", "fr", "en"),
        ("/", "", "en"),
        ("/", "not a header;;q=", "en"),
    ],
)
def test_the_link_prevails_then_the_browser_then_the_study(address: str, accepted: str, found: str) -> None:
    assert languages.chosen(asking(address, accepted), ["en", "zh-hans", "ar"]) == found


def test_languages_are_called_as_their_speakers_call_them() -> None:
    called = [each.name for each in languages.with_names(["zh-hans", "zh", "ar", "tlh"])]
    assert called == ["简体中文", "简体中文", "العربيّة", "tlh"]


@pytest.mark.parametrize(
    ("code", "direction"),
    [("en", "ltr"), ("zh-hans", "ltr"), ("zh", "ltr"), ("ar", "rtl"), ("he-il", "rtl"), ("fa", "rtl"), ("xq", "auto")],
)
def test_a_text_runs_as_its_language_is_written(code: str, direction: str) -> None:
    assert languages.spoken(code) == (code, direction)


def test_a_sentence_of_pure_code_is_said_in_the_language_of_the_page() -> None:
    sentence = say("Please write at least {needed} letters or digits; {missing} to go.", needed=8, missing=3)
    assert sentence == "Please write at least 8 letters or digits; 3 to go."
    with languages.speaking("zh"):
        assert languages.translate(sentence) == "请至少写 8 个字（字母或数字）；还差 3 个。"
        assert languages.translate("as it is") == "as it is"


@pytest.mark.django_db
def test_staff_read_pages_in_their_browsers_language() -> None:
    client = logged_in(researcher("rosa"))
    page = client.get("/studies/", headers=CHINESE)
    assert 'lang="zh-hans"' in text(page)
    assert page.headers["Content-Language"] == "zh-hans"
    assert "Accept-Language" in page.headers["Vary"]
    assert 'lang="en"' in text(client.get("/studies/"))
    assert "密码" in text(Client().get("/admin/login/", headers=CHINESE)), "Django's own words, too"


@pytest.mark.django_db
def test_staff_pages_come_in_no_language_without_a_catalogue() -> None:
    page = Client().get("/admin/login/", headers={"Accept-Language": "ar"})
    assert 'lang="en"' in text(page)
    assert 'dir="rtl"' not in text(page)


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/nothing-here/", "/s/nothing/", "/rate/nothing/", "/rate/nothing/else/"])
def test_whoever_goes_astray_is_told_in_their_language(address: str) -> None:
    page = Client().get(address, headers=CHINESE)
    assert page.status_code == 404
    assert 'lang="zh-hans"' in text(page)
    # The language of one request is gone with it.
    assert 'lang="en"' in text(Client().get(address))

"""Raters' endpoints answer past most of the middleware, with the very headers that they would get from it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from tests.world import Person, audio_url, carry, make_study

pytestmark = pytest.mark.django_db
DIRECT = "core.web.middleware.Direct"


def headers_of(client: Client, person: Person) -> list[tuple[int, dict[str, str]]]:
    slug, audio = person.study.slug, audio_url(person)
    key = audio.rpartition("/")[2]
    asked = [
        client.get(f"/rate/{slug}/api/current", {"tab": person.current.tab}),
        client.get(audio),
        client.get(f"/rate/{slug}/audio/nothing"),
        client.head(audio),
        client.post(f"/rate/{slug}/api/played/{key}", "no JSON", "text/plain"),
        client.get(f"/rate/{slug}/api/played/{key}"),
        client.get(f"/rate/{slug}/api/nothing"),
        client.get(f"/rate/{slug}/api/current", headers={"host": "elsewhere.example"}),
    ]
    return [(response.status_code, dict(response.headers)) for response in asked]


def test_direct_answers_have_the_status_and_headers_of_all_middleware(settings: Any, now: datetime) -> None:
    person = Person(make_study(now=now), now).start()
    client = carry(person)
    direct = headers_of(client, person)
    assert [status for status, _ in direct] == [200, 200, 404, 200, 415, 405, 404, 400]
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if name != DIRECT]
    assert headers_of(client, person) == direct


def test_a_rater_without_https_is_redirected_like_everybody(settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert Client().get("/rate/study/api/current").status_code == 301

"""What a page writes beside what it shows: never a reason to fail, and no score is seen without a log of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from django.db import connection
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts.api.access import TokenAuthentication
from accounts.models import ApiToken, User
from accounts.tokens import services as tokens_services
from analysis.data import hiding
from analysis.data.models import ScoreSight
from core import clock
from studies.models import Study
from studies.summaries.models import Summary
from tests.researchers import logged_in, researcher
from tests.world import make_study

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
REASON = "The ethics board asks for an interim report."


@contextmanager
def somebody_writes() -> Iterator[None]:
    """Let another process hold SQLite's one writer."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout=20")
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")
    connection.close()


@pytest.fixture
def rita() -> User:
    return researcher("rita")


def launched(rita: User, **settings: Any) -> Study:
    """Return a live study of Rita's."""
    study = make_study(now=clock.now(), **settings)
    Study.objects.filter(pk=study.pk).update(owner=rita)
    study.refresh_from_db()
    return study


def program(rita: User) -> dict[str, Any]:
    """Return the headers of a program with a token of Rita's."""
    scopes = ["studies:read", "results:read"]
    _row, secret = tokens_services.create(owner=rita, name="nightly", scopes=scopes, now=clock.now())
    return {"headers": {"Authorization": f"Bearer {secret}"}}


def opened(client: Client, address: str, **told: Any) -> Any:
    client.raise_request_exception = False
    return client.get(address, **told)


def test_a_studys_page_shows_its_figures_though_newer_ones_can_not_be_asked_for(rita: User) -> None:
    study, browser = launched(rita), logged_in(rita)
    with somebody_writes():
        assert opened(browser, reverse("analysis:study", args=[study.slug])).status_code == 200
        assert opened(browser, reverse("analysis:figures", args=[study.slug])).status_code == 200
    assert not Summary.objects.exists()
    browser.get(reverse("analysis:study", args=[study.slug]))
    assert Summary.objects.get().state == "queued"


def test_a_token_is_good_though_its_use_can_not_be_noted(rita: User) -> None:
    # As the framework asks it; what counts requests is another matter.
    request: Any = RequestFactory().get("/api/v1/me", **program(rita))
    with somebody_writes():
        who = TokenAuthentication().authenticate(request)
    assert who is not None
    assert who[0] == rita
    assert ApiToken.objects.get().last_used_at is None
    TokenAuthentication().authenticate(request)
    assert ApiToken.objects.get().last_used_at is not None


@pytest.mark.parametrize("name", ["analysis:study", "analysis:figures", "analysis:analyses"])
def test_hidden_scores_are_shown_only_to_those_who_are_logged(rita: User, name: str) -> None:
    study, browser = launched(rita, results__hide_scores=True), logged_in(rita)
    hiding.open_early(study=study, user=rita, reason=REASON, now=clock.now())
    address = reverse(name, args=[study.slug])
    with somebody_writes():
        page = opened(browser, address)
    assert (page.status_code, page.headers["Retry-After"]) == (503, "3")
    assert b'http-equiv="refresh"' in page.content
    assert not ScoreSight.objects.exists()
    assert browser.get(address).status_code == 200
    assert ScoreSight.objects.get().by == rita
    # Logged a moment ago, it is the same look, and waits for nobody.
    with somebody_writes():
        assert opened(browser, address).status_code == 200


def test_a_program_that_can_not_be_logged_gets_no_hidden_scores_and_is_told_to_come_again(rita: User) -> None:
    study, told = launched(rita, results__hide_scores=True), program(rita)
    hiding.open_early(study=study, user=rita, reason=REASON, now=clock.now())
    address = f"/api/v1/studies/{study.slug}/results"
    with somebody_writes():
        refusal = opened(Client(), address, **told)
    assert (refusal.status_code, refusal.headers["Retry-After"]) == (503, "3")
    assert refusal.json() == {"code": "busy", "message": refusal.json()["message"], "errors": []}
    assert Client().get(address, **told).status_code in {200, 202}
    assert ScoreSight.objects.get().what == "api results"

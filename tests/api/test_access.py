"""Who gets in, and how far."""

from __future__ import annotations

import logging
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from accounts.models import ApiToken, User
from accounts.tokens import services as tokens_services
from accounts.tokens.models import SCOPES
from core import clock
from core.models import Count
from tests.api.caller import Caller, owned, refused, token
from tests.researchers import logged_in, researcher
from tests.world import make_study

pytestmark = pytest.mark.django_db


def test_without_a_token_nobody_gets_in_and_everybody_is_told_how() -> None:
    response = Caller().get("/studies")
    refused(response, 401, "not_authenticated")
    assert response["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("secret", ["esh_nothing", "other", "", "esh_" + "x" * 5000, "esh_ä"])
def test_an_unknown_token_is_refused(secret: str, db: None) -> None:
    response = Client(raise_request_exception=False).get(
        "/api/v1/me", headers={"Authorization": f"Bearer {secret}".encode().decode("latin-1")}
    )
    refused(response, 401, "bad_token")


def test_revoked_expired_and_idle_owners_tokens_are_refused_alike(rita: User, api: Caller) -> None:
    old = Caller(token(rita, expires_at=clock.now() + timedelta(hours=1)))
    assert (api.get("/me").status_code, old.get("/me").status_code) == (200, 200)
    ApiToken.objects.filter(expires_at__isnull=False).update(expires_at=clock.now())
    tokens_services.revoke(token=ApiToken.objects.get(expires_at=None), now=clock.now())
    idle = researcher("idle")
    third = Caller(token(idle))
    User.objects.filter(pk=idle.pk).update(is_active=False)
    said = {caller.get("/me").content for caller in (api, old, third)}
    assert len(said) == 1
    for caller in (api, old, third):
        refused(caller.get("/me"), 401, "bad_token")


def test_a_token_without_a_scope_is_told_which(rita: User) -> None:
    reader = Caller(token(rita, "studies:read"))
    assert reader.get("/studies").status_code == 200
    refused(reader.post("/studies", {"slug": "one", "title": "One"}), 403, "missing_scope")
    assert "studies:write" in reader.post("/studies", {}).json()["message"]


def test_a_scope_gives_no_right_that_its_owner_lacks(rita: User, api: Caller) -> None:
    rita.groups.clear()
    refused(api.post("/studies", {"slug": "one", "title": "One"}), 403, "not_allowed")
    User.objects.filter(pk=rita.pk).update(is_staff=False)
    refused(api.get("/studies"), 403, "not_staff")


def test_somebody_elses_study_is_not_there(rita: User, api: Caller, now: Any) -> None:
    mine, theirs = (make_study(now=now) for _ in range(2))
    owned(mine, rita)
    owned(theirs, researcher("otto"))
    clip = theirs.clips.first()
    assert clip is not None
    for path in ("", "/versions", "/versions/1", "/clips", f"/clips/{clip.pk}", "/imports"):
        assert (
            api.get(f"/studies/{mine.slug}{path.replace(str(clip.pk), str(mine.clips.all()[0].pk))}").status_code == 200
        )
        refused(api.get(f"/studies/{theirs.slug}{path}"), 404, "not_found")
    for path in ("/launch", "/pause", "/close", "/validate", f"/clips/{clip.pk}/withdraw"):
        refused(api.post(f"/studies/{theirs.slug}{path}"), 404, "not_found")
    # Nor is their clip in a study of mine.
    refused(api.post(f"/studies/{mine.slug}/clips/{clip.pk}/withdraw"), 404, "not_found")
    assert [study["slug"] for study in api.get("/studies").json()["results"]] == [mine.slug]


def test_a_superuser_sees_all_studies(rita: User, now: Any) -> None:
    study = owned(make_study(now=now), rita)
    root = Caller(token(User.objects.create_superuser("root", password="pw")))
    assert root.get(f"/studies/{study.slug}").status_code == 200


def test_a_browser_that_is_signed_in_may_read_and_needs_a_csrf_token_to_write(rita: User) -> None:
    browser = logged_in(rita)
    assert browser.get("/api/v1/me").json()["scopes"] == list(SCOPES)
    browser.handler.enforce_csrf_checks = True
    sent: dict[str, Any] = {"data": {"slug": "one", "title": "One"}, "content_type": "application/json"}
    refused(browser.post("/api/v1/studies", **sent), 403, "permission_denied")
    browser.get("/api/v1/docs")
    csrf = browser.cookies["csrftoken"].value
    assert browser.post("/api/v1/studies", headers={"X-CSRFToken": csrf}, **sent).status_code == 201


def test_its_use_is_noted_at_most_once_a_minute(rita: User, api: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    start = clock.now()
    seen = []
    for seconds in (0, 59, 61):
        monkeypatch.setattr(clock, "now", lambda seconds=seconds: start + timedelta(seconds=seconds))
        api.get("/me")
        seen.append(ApiToken.objects.get().last_used_at)
    assert seen == [start, start, start + timedelta(seconds=61)]


def test_who_asks_too_often_is_told_when_to_come_back(
    rita: User, api: Caller, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.API_RATE = 3
    other = Caller(token(rita))
    statuses = [api.get("/me").status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    response = api.get("/me")
    refused(response, 429, "throttled")
    assert 1 <= int(response["Retry-After"]) <= 61
    assert other.get("/me").status_code == 200


def test_no_token_reaches_a_log(rita: User, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    caplog.set_level(logging.DEBUG)
    secret = token(rita)
    caller = Caller(secret)

    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("The database is on fire.")

    caller.get("/me")
    caller.get("/nothing")
    caller.post("/studies", {"slug": "?"})
    Caller(secret + "x").get("/me")
    monkeypatch.setattr("studies.api.listing.studies", broken)
    failed = caller.get("/studies")
    refused(failed, 500, "server_error")
    assert failed["Cache-Control"] == "no-store"
    assert "on fire" not in failed.content.decode()
    assert "The database is on fire." in caplog.text
    assert secret not in caplog.text
    assert secret not in failed.content.decode()
    assert not any(secret in str(record.__dict__) for record in caplog.records if record.name != "django.request")


def test_an_address_that_is_none_is_refused_in_the_same_shape(api: Caller) -> None:
    refused(api.get("/nothing"), 404, "not_found")
    refused(api.get("/studies/none/nothing"), 404, "not_found")
    refused(api.send("DELETE", "/studies"), 405, "method_not_allowed")


def test_nothing_of_it_is_kept_by_a_cache(api: Caller) -> None:
    assert api.get("/me")["Cache-Control"] == "no-store"


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_no_token_is_wrong_or_counted_as_wrong_while_the_database_is_away(
    rita: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, wrong = Caller(token(rita)), Caller("esh_" + "x" * 43)
    database: Any = connection
    with monkeypatch.context() as away:
        database.close()
        database.close_pool()
        away.setitem(database.settings_dict, "HOST", str(tmp_path))
        away.setitem(database.settings_dict, "OPTIONS", {"pool": {"timeout": 0.2, "min_size": 1}})
        for caller in (right, wrong):
            answer = caller.get("/me")
            refused(answer, 503, "busy")
            assert int(answer["Retry-After"]) > 0
        database.close_pool()
    assert not Count.objects.exists()
    assert right.get("/me").status_code == 200
    refused(wrong.get("/me"), 401, "bad_token")

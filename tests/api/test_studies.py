"""Studies by way of the API."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from core import clock
from studies.models import Clip, Study
from tests.api.caller import Caller, owned, refused, token
from tests.researchers import researcher
from tests.world import make_study

pytestmark = pytest.mark.django_db
NEW = {"slug": "voices", "title": "Voices", "preset": "acr", "settings": {"protocol.ratings_wanted": 4}}


def test_a_study_is_made_from_a_preset_with_settings_changed(rita: User, api: Caller) -> None:
    response = api.post("/studies", NEW)
    assert response.status_code == 201
    assert response["Location"] == "/api/v1/studies/voices"
    found = api.get(response["Location"]).json()
    assert found == response.json()
    assert (found["state"], found["version"], found["settings"]["protocol"]["ratings_wanted"]) == ("draft", None, 4)
    assert Study.objects.get().owner == rita


def test_the_same_request_again_makes_nothing_twice_and_another_is_refused(api: Caller) -> None:
    first, again = api.post("/studies", NEW), api.post("/studies", NEW)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    # A client that names the language is no other than one of before it could be named.
    assert api.post("/studies", {**NEW, "language": "en"}).status_code == 200
    assert api.post("/studies", {**NEW, "language": "zh-hans"}).status_code == 409
    # Also after its draft has changed: it is the request that is the same.
    api.send("PATCH", "/studies/voices", {"title": "Other voices"})
    assert api.post("/studies", NEW).json()["title"] == "Other voices"
    refused(api.post("/studies", {**NEW, "title": "Other"}), 409, "key_reused")
    assert Study.objects.count() == 1


def test_a_key_stands_for_one_request_of_one_person(api: Caller) -> None:
    first = api.post("/studies", NEW, Idempotency_Key="k1")
    assert api.post("/studies", NEW, Idempotency_Key="k1").status_code == 200
    refused(api.post("/studies", {**NEW, "slug": "more"}, Idempotency_Key="k1"), 409, "key_reused")
    other = Caller(token(researcher("otto")))
    assert other.post("/studies", {**NEW, "slug": "ottos"}, Idempotency_Key="k1").status_code == 201
    assert first.status_code == 201
    refused(api.post("/studies", NEW, Idempotency_Key="x" * 201), 422, "bad_key")


def test_a_refused_request_uses_no_key_up(api: Caller) -> None:
    refused(
        api.post("/studies", {**NEW, "settings": {"protocol.ratings_wanted": 0}}, Idempotency_Key="k"), 422, "invalid"
    )
    assert api.post("/studies", NEW, Idempotency_Key="k").status_code == 201


def test_an_address_that_somebody_else_has_is_taken(api: Caller, now: datetime) -> None:
    study = make_study(now=now)
    refused(api.post("/studies", {**NEW, "slug": study.slug}), 409, "slug_taken")


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"slug", "title"}),
        ({**NEW, "preset": "none"}, {"preset"}),
        ({**NEW, "slug": "Not A Slug"}, {"slug"}),
        ({**NEW, "owner": "otto"}, {"owner"}),
        ({**NEW, "settings": {"protocol.none": 1}}, {"protocol.none"}),
        ({**NEW, "settings": {"protocol": {}}}, {"protocol"}),
        ({**NEW, "settings": {"protocol.ratings_wanted": "many", "task.none": 1}}, {"task.none"}),
        ({**NEW, "settings": {"protocol.ratings_wanted": "many"}}, {"protocol.ratings_wanted"}),
        ({**NEW, "settings": []}, {"settings"}),
        ({**NEW, "title": "a\0b"}, set()),
    ],
)
def test_what_is_wrong_is_named_field_by_field(api: Caller, body: dict[str, Any], fields: set[str]) -> None:
    response = api.post("/studies", body)
    if not fields:
        refused(response, 400, "unreadable")
    else:
        assert {error["field"] for error in refused(response, 422, "invalid")} == fields
    assert Study.objects.count() == 0


@pytest.mark.parametrize(
    "content", ["", "[]", "{", "null", '{"slug": NaN}', "[" * 50_000, '{"slug": "\\ud800"}', b"\xff"]
)
def test_what_is_no_json_object_is_refused(api: Caller, content: Any) -> None:
    response = api.client.generic("POST", "/api/v1/studies", content, "application/json", headers=api.headers)
    assert response.status_code in {400, 422}
    assert response.json()["code"] in {"unreadable", "invalid"}


def test_a_body_of_another_kind_or_size_is_refused(api: Caller, settings: Any) -> None:
    response = api.client.post("/api/v1/studies", {"slug": "a"}, headers=api.headers)
    refused(response, 415, "unsupported_media_type")
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    refused(api.post("/studies", {"slug": "x" * 1000}), 413, "too_large")


def test_a_draft_is_changed_setting_by_setting(api: Caller) -> None:
    api.post("/studies", NEW)
    changed = api.send("PATCH", "/studies/voices", {"notice": "Back at noon.", "settings": {"texts.contact": "a@b.c"}})
    assert changed.status_code == 200
    found = changed.json()
    assert (found["notice"], found["settings"]["texts"]["contact"]) == ("Back at noon.", "a@b.c")
    assert found["settings"]["protocol"]["ratings_wanted"] == 4
    errors = refused(api.send("PATCH", "/studies/voices", {"settings": {"audio.sample_rate": 5}}), 422, "invalid")
    assert [error["field"] for error in errors] == ["audio.sample_rate"]


def test_a_study_may_name_a_source_whose_platform_has_closed(rita: User, api: Caller) -> None:
    api.post("/studies", {**NEW, "settings": {"crowd.source": "mturk"}})
    assert api.get("/studies/voices").json()["settings"]["crowd"]["source"] == "mturk"
    problems = api.post("/studies/voices/validate", {"settings": {"texts.contact": "a@b.c"}}).json()
    assert "crowd source" not in str(problems)


def test_trying_settings_changes_nothing(api: Caller) -> None:
    api.post("/studies", NEW)
    before = Study.objects.get().draft
    found = api.post("/studies/voices/validate", {"settings": {"texts.consent": ""}}).json()
    assert found["launchable"] is False
    assert {finding["level"] for finding in found["findings"]} >= {"blocking"}
    refused(api.post("/studies/voices/validate", {"settings": {"texts.none": ""}}), 422, "invalid")
    assert Study.objects.get().draft == before


def test_a_study_goes_through_its_states(rita: User, api: Caller, now: datetime) -> None:
    study = owned(make_study(now=now, launch=False), rita)
    path = f"/studies/{study.slug}"
    refused(api.post(f"{path}/pause"), 409, "wrong_state")
    assert api.post(f"{path}/validate").json()["launchable"] is True
    states = [api.post(f"{path}/{move}").json()["state"] for move in ("launch", "pause", "resume", "close", "reopen")]
    assert states == ["live", "paused", "live", "closed", "paused"]
    refused(api.post(f"{path}/publish"), 409, "unchanged")
    api.send("PATCH", path, {"settings": {"protocol.ratings_wanted": 12}})
    assert api.get(path).json()["has_changes"] is True
    assert api.post(f"{path}/publish").json()["version"] == 2
    versions = api.get(f"{path}/versions").json()
    assert [version["number"] for version in versions] == [1, 2]
    assert api.get(versions[1]["url"]).json()["settings"]["protocol"]["ratings_wanted"] == 12
    refused(api.get(f"{path}/versions/3"), 404, "not_found")


def test_a_launch_that_something_blocks_says_what(api: Caller) -> None:
    api.post("/studies", NEW)
    response = api.post("/studies/voices/launch")
    refused(response, 409, "launch_blocked")
    assert response.json()["findings"]


def test_studies_are_listed_newest_first_page_by_page_and_by_state(rita: User, api: Caller, now: datetime) -> None:
    made = [owned(make_study(now=now, launch=number % 2 == 0, texts=1), rita).slug for number in range(5)]
    seen, path, query = [], "/studies", {"limit": 2}
    while path:
        found = api.get(path, **query).json()
        seen += [study["slug"] for study in found["results"]]
        path, query = found["next"], {}
    assert seen == made[::-1]
    assert [study["slug"] for study in api.get("/studies", state="draft").json()["results"]] == [made[3], made[1]]


@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 1001}, {"limit": "x"}, {"cursor": "-1"}, {"colour": "red"}])
def test_a_query_that_means_nothing_is_refused(api: Caller, query: dict[str, Any]) -> None:
    assert [error["field"] for error in refused(api.get("/studies", **query), 422, "invalid")] == list(query)


def test_clips_are_filtered_withdrawn_and_restored(rita: User, api: Caller, now: datetime) -> None:
    study = owned(make_study(now=now), rita)
    path = f"/studies/{study.slug}/clips"
    found = api.get(path, system="alpha", role="test").json()["results"]
    assert len(found) == 12
    assert {(clip["system"], clip["role"]) for clip in found} == {("alpha", "test")}
    first = found[0]
    assert api.get(f"{path}/{first['id']}").json() == first
    for _ in range(2):
        assert api.post(f"{path}/{first['id']}/withdraw").json()["withdrawn_at"]
    assert [clip["id"] for clip in api.get(path, withdrawn="true").json()["results"]] == [first["id"]]
    assert len(api.get(path, withdrawn="false", system="alpha").json()["results"]) == 11
    assert api.post(f"{path}/{first['id']}/restore").json()["withdrawn_at"] is None
    refused(api.get(f"{path}/{10**17}"), 404, "not_found")
    refused(api.get(f"{path}/{10**30}"), 404, "not_found")


def test_a_page_of_clips_costs_the_same_wherever_it_is(
    rita: User, api: Caller, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In one minute of the limits, which count anew in the next.
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment)
    study = owned(make_study(now=now, texts=60), rita)
    path = f"/studies/{study.slug}/clips"
    api.get(path)
    costs, seen, follow = [], 0, f"{path}?limit=50"
    while follow:
        with CaptureQueriesContext(connection) as queries:
            found = api.get(follow).json()
        # Of tables; savepoints are the test's, and how long SQLite waits is no reading.
        costs.append(sum(query["sql"].startswith(("SELECT", "INSERT", "UPDATE")) for query in queries.captured_queries))
        seen += len(found["results"])
        follow = found["next"]
    assert seen == Clip.objects.filter(study=study).count() == 192
    assert len(set(costs)) == 1
    assert costs[0] <= 8

"""Progress, sessions, ratings, scores, reviews and exports by way of the API."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from analysis.data import hiding
from analysis.data.models import ScoreSight, Simulated
from analysis.exports import building
from analysis.exports import files as export_files
from analysis.exports.models import Export
from analysis.exports.source import Source
from core import clock
from raters.models import CheckResult, Identity, Rating, Session, Verdict
from raters.privacy import requests
from studies.models import Study, StudyVersion
from studies.summaries import services as summaries
from tests import figures
from tests.analysis.world import World
from tests.api.caller import Caller, owned, refused, token
from tests.researchers import researcher

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(rita: User, files: Path, now: datetime) -> World:
    """Return a study of Rita's that people and programs have rated."""
    found = World(now)
    owned(found.study, rita)
    found.crowd(5)
    found.crowd(2, simulated=True)
    return found


@pytest.fixture
def path(world: World) -> str:
    return f"/studies/{world.study.slug}"


def hide(study: Study) -> None:
    """Make the study one that hides its scores until it is closed."""
    for version in StudyVersion.objects.filter(study=study):
        version.definition = {**version.definition, "results": {"hide_scores": True}}
        version.save()


def every(api: Caller, path: str, **query: Any) -> list[dict[str, Any]]:
    """Read a list to its end."""
    rows: list[dict[str, Any]] = []
    follow: str | None = path
    while follow:
        found = api.get(follow, **query).json()
        rows += found["results"]
        follow, query = found["next"], {}
    return rows


def test_ratings_are_the_rows_of_the_export_page_by_page(world: World, api: Caller, path: str, tmp_path: Path) -> None:
    export_files.write(Source(world.study, Simulated.WITH), tmp_path)
    expected = [json.loads(line) for line in (tmp_path / "ratings.jsonl").read_text().splitlines()]
    assert every(api, f"{path}/ratings", limit=7, simulated="with") == expected
    assert len(every(api, f"{path}/ratings")) == 50


def test_a_row_names_what_excludes_it_on_whichever_page_it_is(
    world: World, api: Caller, path: str, tmp_path: Path
) -> None:
    last = Rating.objects.filter(study=world.study, trial__session__simulated=False).latest("pk")
    trial = last.trial
    on = {
        "answer": trial.answer,
        "batch": trial.batch,
        "session": trial.session,
        "rater": trial.rater,
        "clip": last.clip,
    }
    for subject, about in on.items():
        Verdict.objects.create(rule=f"by_{subject}", usable=False, at=world.now, **{subject: about})
    failed = {"name": "device", "rule_version": 1, "passed": False, "began_at": world.now, "at": world.now}
    CheckResult.objects.create(session=trial.session, **failed)
    export_files.write(Source(world.study, Simulated.WITHOUT), tmp_path)
    for page, name, rules in (
        ("ratings", "ratings", "batch_incomplete|by_answer|by_batch|by_clip|by_rater|by_session"),
        ("sessions", "raters", "by_rater|by_session"),
    ):
        expected = [json.loads(line) for line in (tmp_path / f"{name}.jsonl").read_text().splitlines()]
        found = every(api, f"{path}/{page}", limit=3)
        assert found == expected
        assert found[-1]["exclusion_reasons"] == rules
    assert [row["checks_failed"] for row in found] == ["", "", "", "", "device"]


def test_what_a_rater_took_back_is_left_out_of_ratings_on_every_page(
    world: World, api: Caller, path: str, tmp_path: Path
) -> None:
    for row in Rating.objects.filter(study=world.study, part="label"):
        Rating.objects.create(study=row.study, trial=row.trial, clip=row.clip, place=0, part="marker", code="pauses")
    gone = Session.objects.filter(study=world.study, simulated=False).earliest("pk")
    requests.delete_answers(session_id=gone.pk, now=world.now)
    export_files.write(Source(world.study, Simulated.WITHOUT), tmp_path)
    expected = [json.loads(line) for line in (tmp_path / "ratings.jsonl").read_text().splitlines()]
    assert every(api, f"{path}/ratings", limit=7) == expected
    assert 50 < len(expected) < 100


def test_sessions_and_reviews_are_the_rows_of_the_export_too(
    world: World, api: Caller, path: str, tmp_path: Path
) -> None:
    export_files.write(Source(world.study, Simulated.WITHOUT), tmp_path)
    expected = [json.loads(line) for line in (tmp_path / "raters.jsonl").read_text().splitlines()]
    assert every(api, f"{path}/sessions", limit=2) == expected
    assert every(api, f"{path}/reviews") == []


def test_a_page_of_ratings_costs_the_same_however_many_there_are(
    world: World, api: Caller, path: str, settings: Any
) -> None:
    # The first request of a minute costs two statements more.
    settings.API_RATE = 0

    def cost(**query: Any) -> list[str]:
        api.get(f"{path}/ratings", **query)
        with CaptureQueriesContext(connection) as queries:
            assert len(api.get(f"{path}/ratings", **query).json()["results"]) == query["limit"]
        return [query["sql"].split()[0] for query in queries.captured_queries]

    few = cost(limit=2)
    world.crowd(10)
    assert cost(limit=2) == few
    assert cost(limit=100) == few


def test_the_platforms_ids_take_a_scope_and_a_right(world: World, rita: User, api: Caller, path: str) -> None:
    session = Session.objects.filter(simulated=False).order_by("pk")[0]
    Identity.objects.store(rater=session.rater, source="prolific", person="pid5f3a9c")
    shown = api.get(f"{path}/sessions").content.decode()
    assert session.ext_session not in shown
    assert "pid5f3a9c" not in shown
    refused(api.get(f"{path}/sessions", people="true"), 403, "missing_scope")
    refused(api.post(f"{path}/exports", {"profile": "payment"}), 403, "missing_scope")
    rita.user_permissions.add(Permission.objects.get(codename="view_identity"))
    first = api.get(f"{path}/sessions", people="true").json()["results"][0]
    assert first["external"] == {"study": "ext", "session": session.ext_session, "person": "pid5f3a9c"}
    limited = Caller(token(rita, "results:read", "results:write"))
    refused(limited.get(f"{path}/sessions", people="true"), 403, "missing_scope")
    refused(limited.post(f"{path}/exports", {"profile": "payment"}), 403, "missing_scope")
    assert api.post(f"{path}/exports", {"profile": "payment"}).status_code == 202


def test_progress_counts_people_batches_and_ratings(api: Caller, path: str) -> None:
    found = api.get(f"{path}/progress").json()
    assert (found["state"], found["sessions"]["arrived"], found["ratings"]) == ("live", 5, 50)
    assert found["batches"]["valid"] + found["batches"]["invalid"] + found["batches"]["open"] == 5
    assert api.get(f"{path}/progress", simulated="only").json()["sessions"]["arrived"] == 2


def test_scores_are_those_of_the_page_once_a_worker_has_computed_them(world: World, api: Caller, path: str) -> None:
    assert api.get(f"{path}/results").json() == {"computed_at": None, "is_fresh": False, "figures": {}}
    row = figures.compute(world.study, clock.now())
    found = api.get(f"{path}/results").json()
    assert found["is_fresh"] is True
    assert found["figures"] == row.value
    assert found["figures"]["scores"]


def test_hidden_scores_stay_hidden_from_programs_and_who_looks_is_logged(
    world: World, rita: User, api: Caller, path: str
) -> None:
    hide(world.study)
    for name in ("ratings", "results"):
        refused(api.get(f"{path}/{name}"), 403, "scores_hidden")
    assert api.get(f"{path}/progress").status_code == api.get(f"{path}/sessions").status_code == 200
    begun = api.post(f"{path}/exports").json()
    assert begun["scores_hidden"] is True
    assert not ScoreSight.objects.exists()
    hiding.open_early(study=world.study, user=rita, reason="A rater complained of noise.", now=clock.now())
    assert api.get(f"{path}/ratings").status_code == 200
    assert [sight.what for sight in ScoreSight.objects.all()] == ["api ratings"]


def test_an_export_is_begun_watched_and_downloaded(world: World, api: Caller, path: str) -> None:
    response = api.post(f"{path}/exports", {"simulated": "with"})
    begun = response.json()
    assert (response.status_code, begun["state"], begun["download"]) == (202, "queued", None)
    assert api.post(f"{path}/exports", {"simulated": "with"}).json()["id"] == begun["id"]
    refused(api.get(f"{begun['url']}/download"), 409, "not_done")
    building.build_export(pk=begun["id"], clock=clock.now)
    done = api.get(response["Location"]).json()
    assert (done["state"], done["percent"]) == ("done", 100)
    sent = api.get(done["download"])
    content = sent.getvalue()
    assert (sent["Content-Type"], len(content)) == ("application/zip", done["bytes"])
    assert any(name.endswith("/ratings.csv") for name in zipfile.ZipFile(io.BytesIO(content)).namelist())
    assert [export["id"] for export in api.get(f"{path}/exports").json()["results"]] == [begun["id"]]
    Export.objects.update(file="")
    refused(api.get(done["download"]), 410, "ended")
    assert api.get(begun["url"]).json()["download"] is None


def test_an_export_that_cannot_be_is_refused_by_field(api: Caller, path: str) -> None:
    errors = refused(api.post(f"{path}/exports", {"layout": "somos", "format": "parquet"}), 422, "invalid")
    assert [error["field"] for error in errors] == ["format"]
    errors = refused(api.post(f"{path}/exports", {"format": "doc"}), 422, "invalid")
    assert [error["field"] for error in errors] == ["format"]


def test_somebody_elses_results_are_not_there(world: World, path: str) -> None:
    other = Caller(token(researcher("otto")))
    export = building.request_export(study_id=world.study.pk, simulated=Simulated.WITHOUT, user=None, now=clock.now())
    for name in ("progress", "results", "sessions", "ratings", "reviews", "exports", f"exports/{export.pk}"):
        refused(other.get(f"{path}/{name}"), 404, "not_found")
    refused(other.post(f"{path}/exports"), 404, "not_found")
    refused(other.get(f"{path}/exports/{export.pk}/download"), 404, "not_found")


@pytest.mark.parametrize(
    ("scope", "open_to"),
    [
        ("studies:read", set()),
        ("results:read", {"progress", "results", "sessions", "ratings", "exports"}),
        ("experts:read", {"reviews"}),
    ],
)
def test_each_area_has_its_scope(rita: User, path: str, scope: str, open_to: set[str]) -> None:
    caller = Caller(token(rita, scope))
    names = ("progress", "results", "sessions", "ratings", "exports", "reviews")
    assert {name for name in names if caller.get(f"{path}/{name}").status_code == 200} == open_to
    refused(caller.post(f"{path}/exports"), 403, "missing_scope")


def test_in_a_large_study_progress_is_what_a_worker_counted_last(
    world: World, api: Caller, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = api.get(f"{path}/progress").json()
    assert now["computed_at"] is None
    monkeypatch.setattr(summaries, "QUICK", 4)
    # Nobody has counted yet.
    assert api.get(f"{path}/progress").json() == now
    figures.compute(world.study, clock.now())
    counted = api.get(f"{path}/progress").json()
    assert counted.pop("computed_at") is not None
    assert counted == {name: value for name, value in now.items() if name != "computed_at"}
    with CaptureQueriesContext(connection) as asked:
        api.get(f"{path}/progress")
    assert not any("raters_rating" in each["sql"] or "raters_batch" in each["sql"] for each in asked)

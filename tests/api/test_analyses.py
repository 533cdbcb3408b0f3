"""Analyses and machines' scores by way of the API."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from accounts.models import User
from analysis.data.models import Simulated
from analysis.metrics import sets
from analysis.metrics.sets import Given
from analysis.runs import analyses
from analysis.runs.models import Analysis
from core import clock, jobs
from studies.models import StudyVersion
from tests.analysis.world import World
from tests.api.caller import Caller, owned, refused, token
from tests.researchers import researcher

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(rita: User, files: Path, now: datetime) -> World:
    """Return a study of Rita's that people have rated."""
    found = World(now)
    owned(found.study, rita)
    found.crowd(12)
    return found


@pytest.fixture
def path(world: World) -> str:
    return f"/studies/{world.study.slug}"


def test_an_analysis_is_begun_watched_and_read(world: World, api: Caller, path: str) -> None:
    response = api.post(f"{path}/analyses", {"seed": 5, "versions": [1]})
    begun = response.json()
    assert (response.status_code, begun["state"], begun["results"]) == (202, "queued", None)
    assert (begun["settings"]["seed"], begun["settings"]["versions"]) == (5, [1])
    assert api.post(f"{path}/analyses", {"seed": 5, "versions": [1]}).json()["id"] == begun["id"]
    refused(api.get(f"{begun['url']}/results"), 409, "not_done")
    job = jobs.claim(Analysis, begun["id"], clock.now())
    assert job is not None
    jobs.finish(job, clock.now(), results={"scores": {"rows": [1.5]}})
    done = api.get(response["Location"]).json()
    assert (done["state"], done["error"]) == ("done", "")
    assert api.get(done["results"]).json()["results"] == {"scores": {"rows": [1.5]}}
    assert [each["id"] for each in api.get(f"{path}/analyses").json()["results"]] == [begun["id"]]


def test_an_analysis_that_cannot_be_is_refused_by_field(api: Caller, path: str) -> None:
    errors = refused(api.post(f"{path}/analyses", {"versions": [1, 7]}), 422, "invalid")
    assert [error["field"] for error in errors] == ["versions"]
    errors = refused(api.post(f"{path}/analyses", {"seed": -1, "simulated": "some"}), 422, "invalid")
    assert {error["field"] for error in errors} == {"seed", "simulated"}
    assert not Analysis.objects.exists()


def test_analyses_are_hidden_with_the_scores(world: World, api: Caller, path: str) -> None:
    row = analyses.request_analysis(study_id=world.study.pk, user=None, now=clock.now())
    version = StudyVersion.objects.get(study=world.study)
    version.definition = {**version.definition, "results": {"hide_scores": True}}
    version.save()
    for name in ("analyses", f"analyses/{row.pk}", f"analyses/{row.pk}/results"):
        refused(api.get(f"{path}/{name}"), 403, "scores_hidden")
    refused(api.post(f"{path}/analyses"), 403, "scores_hidden")


def test_machines_scores_are_read_clip_by_clip(world: World, api: Caller, path: str) -> None:
    found = sets.create_set(study_id=world.study.pk, name="judge", source="judge", now=clock.now())
    clips = list(world.study.clips.order_by("pk").values_list("pk", "file"))
    sets.put(set_id=found.pk, values=[Given(clips[0][0], 0.5), Given(clips[1][0], None, "too long")])
    (shown,) = api.get(f"{path}/metrics").json()
    assert (shown["name"], shown["scored"], shown["failed"], shown["missing"]) == ("judge", 1, 1, len(clips) - 2)
    first = api.get(shown["values"], limit=1).json()
    assert first["results"] == [{"clip": clips[0][0], "file": clips[0][1], "value": 0.5, "failure": ""}]
    second = api.get(first["next"]).json()
    assert (second["results"][0]["failure"], second["next"]) == ("too long", None)
    refused(api.get(f"{path}/metrics/{found.pk + 1}"), 404, "not_found")


def test_somebody_elses_analyses_and_metrics_are_not_there(world: World, path: str) -> None:
    row = analyses.request_analysis(study_id=world.study.pk, user=None, now=clock.now(), simulated=Simulated.WITH)
    found = sets.create_set(study_id=world.study.pk, name="judge", now=clock.now())
    other = Caller(token(researcher("otto")))
    for name in ("analyses", f"analyses/{row.pk}", f"analyses/{row.pk}/results", "metrics", f"metrics/{found.pk}"):
        refused(other.get(f"{path}/{name}"), 404, "not_found")
    refused(other.post(f"{path}/analyses"), 404, "not_found")

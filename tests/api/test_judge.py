"""The judge by way of the API: who answers, runs, and what they say of each clip."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import httpx
import pytest

from accounts.models import User
from core import clock
from judge.runs import run_jobs
from judge.runs.models import JudgeRun
from judge.schemas import TrainingRecord
from studies.models import Study
from tests.api.caller import Caller, owned, refused, token
from tests.judge.fake_judge import PROFILE, FakeJudge, refusal
from tests.judge.runs.test_pages import fake
from tests.judge.world import clips, heard_study
from tests.researchers import researcher

__all__ = ["fake"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def study(rita: User, now: datetime) -> Study:
    """Return a draft of Rita's whose ten clips can be heard."""
    return owned(heard_study(now), rita)


@pytest.fixture
def path(study: Study) -> str:
    return f"/studies/{study.slug}/judge"


def begun(api: Caller, path: str, **headers: str) -> Any:
    response = api.post(f"{path}/runs", **headers)
    assert response.status_code == 202, response.content
    return response.json()


def work(run: dict[str, Any]) -> None:
    """Let a worker do all of a run with the judge of the settings."""
    assert not run_jobs.work(pk=run["id"], clock=clock.now)


def test_a_run_is_begun_watched_and_read(api: Caller, study: Study, path: str, fake: FakeJudge) -> None:
    silent = clips(study)[0]
    fake.faults[silent.sha256] = [refusal("silent")]
    response = api.post(f"{path}/runs", {"profile": "att"})
    run = response.json()
    assert (response.status_code, run["state"], run["profile"], run["total"]) == (202, "queued", "att", 0)
    assert api.get(run["scores"]).json() == {"results": [], "next": None}
    work(run)
    shown = api.get(response["Location"]).json()
    assert (shown["state"], shown["error"], shown["percent"]) == ("done", "", 100)
    assert (shown["done"], shown["total"], shown["scored"], shown["failed"], shown["asked"]) == (10, 10, 9, 1, 10)
    assert shown["origin"]["weights_sha256"] == fake.weights
    (without,) = shown["refused"]
    assert (without["clip"], without["file"], without["code"]) == (silent.pk, silent.file, "silent")
    assert (without["message"], without["advice"][:8]) == ("It is silent.", "There is")
    first = api.get(shown["scores"], limit=1).json()
    assert first["results"] == [
        {"clip": silent.pk, "file": silent.file, "value": None, "error": "silent", "message": "It is silent.",
         "warnings": []}
    ]  # fmt: skip
    rest = api.get(first["next"].replace("limit=1", "limit=100")).json()
    assert rest["next"] is None
    told = {row["file"]: (row["value"], row["error"]) for row in rest["results"]}
    assert told == {clip.file: (pytest.approx(fake.scores(clip.sha256)), "") for clip in clips(study)[1:]}
    assert [row["file"] for row in api.get(shown["scores"], failed="true").json()["results"]] == [silent.file]
    assert shown["metric"] in {metric["id"] for metric in api.get(f"/studies/{study.slug}/metrics").json()}


def test_what_is_odd_about_a_clip_is_named(api: Caller, path: str, fake: FakeJudge) -> None:
    fake.label_mass = 0.001
    run = begun(api, path)
    work(run)
    assert {tuple(row["warnings"]) for row in api.get(run["scores"]).json()["results"]} == {("low_label_mass",)}


def test_who_answers_is_told_with_weights_and_profiles(api: Caller, study: Study, path: str, fake: FakeJudge) -> None:
    training = TrainingRecord(clips=(clips(study)[0].sha256, "f" * 64))
    info = fake.info().model_copy(update={"training": training})
    fake.always = httpx.Response(200, content=info.model_dump_json())
    shown = api.get(path).json()
    assert (shown["configured"], shown["state"], shown["message"]) == (True, "there", "")
    assert (shown["engine"], shown["weights_sha256"], shown["adapter_sha256"]) == ("earshot-1", fake.weights, "")
    (profile,) = shown["profiles"]
    assert (profile["name"], profile["sha256"], profile["languages"]) == ("att", PROFILE, ["zh"])
    assert profile["labels"][1] == {"text": "Unclear", "weight": 0.5, "token_id": 1}
    assert (shown["usual_profile"], shown["trained_on"]) == ("att", 1)
    assert api.get(shown["runs"]).json() == {"results": [], "next": None}


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (httpx.ConnectError("Connection refused"), "down"),
        (httpx.ReadTimeout("slow"), "down"),
        (httpx.Response(503), "down"),
        (httpx.DecodingError("no gzip"), "wrong"),
        (httpx.Response(200, text="<html>"), "wrong"),
        (httpx.Response(200, text='{"profiles": []}'), "wrong"),
        (httpx.Response(401), "wrong"),
        (httpx.Response(500), "wrong"),
    ],
    ids=str,
)
def test_a_judge_that_gives_no_good_answer_is_a_state_and_no_failure(
    api: Caller, path: str, fake: FakeJudge, answer: Any, state: str
) -> None:
    fake.always = answer
    response = api.get(path)
    shown = response.json()
    assert (response.status_code, shown["configured"], shown["state"]) == (200, True, state)
    assert shown["message"]
    assert (shown["engine"], shown["profiles"], shown["usual_profile"]) == ("", [], "")


def test_labels_that_count_no_number_are_no_judges(api: Caller, path: str, fake: FakeJudge) -> None:
    content = fake.info().model_dump_json().replace('"weight":0.5', '"weight":NaN')
    assert "NaN" in content
    fake.always = httpx.Response(200, content=content)
    assert api.get(path).json()["state"] == "wrong"


@pytest.mark.parametrize("url", ["ftp://judge", "http://judge:port", "judge:8765"])
def test_an_address_that_is_none_is_told(api: Caller, path: str, settings: Any, url: str) -> None:
    settings.JUDGE_URL = url
    shown = api.get(path).json()
    assert (shown["state"], url in shown["message"]) == ("wrong", True)


def test_without_a_judge_that_is_said_and_nothing_begins(api: Caller, path: str) -> None:
    shown = api.get(path).json()
    assert (shown["configured"], shown["state"], shown["profiles"]) == (False, "none", [])
    assert "No judge is set up" in shown["message"]
    refused(api.post(f"{path}/runs", Idempotency_Key="a"), 409, "no_judge")
    assert not JudgeRun.objects.exists()


def test_a_key_that_was_refused_without_a_judge_may_be_used_with_one(api: Caller, path: str, settings: Any) -> None:
    refused(api.post(f"{path}/runs", Idempotency_Key="a"), 409, "no_judge")
    settings.JUDGE_URL = "http://judge"
    assert begun(api, path, Idempotency_Key="a")["state"] == "queued"


def test_a_run_waits_for_a_judge_that_is_down_and_says_so(api: Caller, path: str, fake: FakeJudge) -> None:
    fake.always = httpx.Response(503)
    run = begun(api, path)
    run_jobs.work(pk=run["id"], clock=clock.now, judge=fake.client(tries=1))
    shown = api.get(run["url"]).json()
    assert (shown["state"], shown["error"], shown["metric"]) == ("queued", "", None)
    assert shown["waits_for"]


def test_a_profile_that_the_judge_lacks_ends_the_run_with_a_sentence(api: Caller, path: str, fake: FakeJudge) -> None:
    run = api.post(f"{path}/runs", {"profile": "poetry"}).json()
    work(run)
    shown = api.get(run["url"]).json()
    assert (shown["state"], "has no profile poetry" in shown["error"]) == ("failed", True)
    for wrong in ({"profile": "x" * 201}, {"profile": ["att"]}, {"voice": "att"}):
        refused(api.post(f"{path}/runs", wrong), 422, "invalid")
    assert JudgeRun.objects.count() == 1


def test_a_run_that_is_asked_for_twice_is_begun_once(api: Caller, path: str, fake: FakeJudge) -> None:
    run = begun(api, path, Idempotency_Key="a")
    assert begun(api, path)["id"] == run["id"]
    work(run)
    again = api.post(f"{path}/runs", Idempotency_Key="a")
    assert (again.status_code, again.json()["id"], again.json()["state"]) == (200, run["id"], "done")
    refused(api.post(f"{path}/runs", {"profile": "att"}, Idempotency_Key="a"), 409, "key_reused")
    assert begun(api, path, Idempotency_Key="b")["id"] != run["id"]


def test_runs_are_listed_newest_first_page_by_page(api: Caller, path: str, fake: FakeJudge) -> None:
    made = [api.post(f"{path}/runs", {"profile": name}).json()["id"] for name in ("one", "two", "three")]
    first = api.get(f"{path}/runs", limit=2).json()
    assert [row["id"] for row in first["results"]] == made[:0:-1]
    second = api.get(first["next"]).json()
    assert ([row["id"] for row in second["results"]], second["next"]) == (made[:1], None)


def test_a_run_is_stopped_once(api: Caller, path: str, fake: FakeJudge) -> None:
    run = begun(api, path)
    stopped = api.post(f"{run['url']}/cancel").json()
    assert (stopped["state"], stopped["cancelled_at"] is None) == ("failed", False)
    assert "Cancelled" in stopped["error"]
    refused(api.post(f"{run['url']}/cancel"), 409, "over")
    work(run)
    assert fake.asked == []


def test_somebody_elses_runs_are_not_there(api: Caller, rita: User, path: str, fake: FakeJudge, now: datetime) -> None:
    run = begun(api, path)
    other, mine = Caller(token(researcher("otto"))), f"{path}/runs/{run['id']}"
    for there in (path, f"{path}/runs", mine, f"{mine}/scores"):
        refused(other.get(there), 404, "not_found")
    for there in (f"{path}/runs", f"{mine}/cancel"):
        refused(other.post(there), 404, "not_found")
    # Nor is it a run of another study of mine.
    second = f"/studies/{owned(heard_study(now), rita).slug}/judge/runs/{run['id']}"
    for there in (second, f"{second}/scores"):
        refused(api.get(there), 404, "not_found")
    refused(api.post(f"{second}/cancel"), 404, "not_found")
    assert JudgeRun.objects.get().cancelled_at is None


def test_each_endpoint_takes_its_scope(api: Caller, rita: User, path: str, fake: FakeJudge) -> None:
    run = begun(api, path)
    reader, stranger = Caller(token(rita, "results:read")), Caller(token(rita, "studies:read", "results:write"))
    for there in (path, f"{path}/runs", run["url"], run["scores"]):
        assert reader.get(there).status_code == 200
        refused(stranger.get(there), 403, "missing_scope")
        refused(Caller().get(there), 401, "not_authenticated")
    for there in (f"{path}/runs", f"{run['url']}/cancel"):
        refused(reader.post(there), 403, "missing_scope")
    assert stranger.post(f"{run['url']}/cancel").status_code == 200

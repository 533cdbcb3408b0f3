"""The diagnosis of a server: each fault is a finding with a remedy, and none hides another."""

from __future__ import annotations

import json
import threading
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone

from core import clock, hooks, tasks
from core.errors import StoreAway
from core.findings import OK, PROBLEM, WARNING, Finding
from core.models import Sweep
from core.operations import doctor, health, keys
from core.registry import Registry
from raters import sources
from raters.models import QueueFill
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
PARTS = {"settings", "database", "keys", "clock", "worker", "jobs", "files", "broker", "data", "address"}
PARTS |= {"raters", "judge", "drafting", *(platform.name for platform in sources.payment_platforms().values())}


def found(**options: Any) -> dict[str, Finding]:
    return {finding.name: finding for finding in doctor.examine(**options)}


def test_every_part_of_a_sound_server_is_named_and_has_no_problem() -> None:
    findings = found()
    assert set(findings) == PARTS
    assert [finding for finding in findings.values() if finding.state == PROBLEM] == []


def test_a_part_can_be_left_out() -> None:
    assert set(found(without=["broker", "judge"])) == PARTS - {"broker", "judge"}


def test_tables_of_another_release_are_a_problem_with_the_command_that_makes_them() -> None:
    MigrationRecorder.Migration.objects.filter(app="analysis").order_by("-pk")[0].delete()
    finding = found()["database"]
    assert (finding.state, finding.remedy) == (PROBLEM, "./run manage migrate")


def test_what_needs_the_database_is_not_asked_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "database", lambda: [Finding("database", PROBLEM, "the database can't be reached")])
    findings = found()
    assert findings["database"].state == PROBLEM
    assert set(findings) & {"keys", "clock", "worker", "jobs", "raters"} == set()
    assert "files" in findings


def test_other_keys_than_those_of_the_database_are_a_problem(settings: Any) -> None:
    keys.require()
    settings.SECRET_KEY = "another key that is long enough for every check there is, but not the same"
    assert found()["keys"].message.startswith("EARSHOT_SECRET_KEY is not the key")


@pytest.mark.parametrize(
    ("state", "minutes", "is_told"),
    [("queued", 1, False), ("queued", 3, True), ("running", 3, True), ("running", -1, False), ("done", 3, False)],
)
def test_work_that_no_worker_takes_is_a_warning(state: str, minutes: int, is_told: bool) -> None:
    study = make_study(now=clock.now())
    since = clock.now() - timedelta(minutes=minutes)
    QueueFill.objects.create(study=study, state=state, queued_at=since, lease_until=since)
    finding = found()["jobs"]
    assert (finding.state == WARNING, "no worker is running" in finding.message) == (is_told, is_told)


@pytest.mark.parametrize(("minutes", "state"), [(None, OK), (1, OK), (3, PROBLEM)])
def test_a_worker_or_beat_that_is_silent_for_two_minutes_is_a_problem(minutes: int | None, state: str) -> None:
    if minutes is not None:
        Sweep.objects.create(pk=1, at=clock.now() - timedelta(minutes=minutes))
    finding = found()["worker"]
    assert finding.state == state
    assert ("for 3 minutes" in finding.message) == (state == PROBLEM)


def test_a_sweep_is_noted_whatever_its_chores_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*, now: object) -> None:
        raise ValueError("a chore that fails")

    monkeypatch.setattr(hooks, "chores", [fail])
    tasks.sweep()
    tasks.sweep()
    assert found()["worker"].state == OK
    assert Sweep.objects.count() == 1


def test_a_broker_that_is_away_is_a_problem(settings: Any, tmp_path: Path) -> None:
    settings.CELERY_BROKER_URL = f"redis+socket://{tmp_path}/none.sock"
    finding = found()["broker"]
    assert (finding.state, finding.remedy) == (PROBLEM, "Start Valkey or Redis.")


@pytest.mark.parametrize(
    ("store", "remedy"), [("folder", "Allow Earshot's account to write to "), ("s3", "Look at the store's log.")]
)
def test_a_store_that_gives_nothing_back_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, settings: Any, store: str, remedy: str
) -> None:
    def away(*args: Any) -> str:
        raise StoreAway("Could not connect to the endpoint")

    monkeypatch.setattr("core.files.storage.put", away)
    settings.STORE = store
    finding = found()["files"]
    assert finding.remedy.startswith(remedy)
    assert finding.state == PROBLEM
    assert "Could not connect" in finding.message


def test_a_part_that_hangs_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()

    def hang() -> list[Finding]:
        over.wait(60)
        return []

    monkeypatch.setattr(hooks, "diagnoses", Registry([hooks.Diagnosis("judge", hang)]))
    monkeypatch.setattr(doctor, "SECONDS", 0.5)
    try:
        findings = found()
    finally:
        over.set()
    assert findings["judge"].message == "No answer within 0 s."
    assert findings["database"].state == OK


def test_a_judge_that_does_not_answer_and_a_token_that_cannot_be_tried_are_problems(settings: Any) -> None:
    settings.JUDGE_URL = "http://127.0.0.1:1"
    settings.PROLIFIC_TOKEN, settings.PROLIFIC_API = "a-secret-token", "http://127.0.0.1:1"
    findings = found()
    assert (findings["judge"].state, findings["Prolific"].state) == (PROBLEM, PROBLEM)
    assert "a-secret-token" not in " ".join(finding.message for finding in findings.values())


@pytest.mark.parametrize(
    ("url", "name", "state"),
    [
        ("http://127.0.0.1:8000", "address", WARNING),
        ("http://listening.example.org", "address", WARNING),
        ("https://127.0.0.2:1", "TLS", PROBLEM),
    ],
)
def test_an_address_that_raters_cannot_use_is_told(settings: Any, url: str, name: str, state: str) -> None:
    settings.BASE_URL = url
    finding = found()[name]
    assert finding.state == state
    assert finding.remedy


@pytest.mark.postgres
def test_a_clock_far_from_the_databases_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    right = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: right() + timedelta(seconds=300))
    finding = found()["clock"]
    assert finding.state == WARNING
    assert finding.message.startswith(("this host is 300.", "this host is 299."))
    assert "ahead of the database" in finding.message


def test_the_command_prints_one_json_object_a_line_and_fails_on_a_problem(
    settings: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A command is a new process, which doesn't miss a worker yet.
    monkeypatch.setattr(health, "STARTED", time.monotonic())
    call_command("doctor", "--json")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["name"] for line in lines} == PARTS
    settings.CELERY_BROKER_URL = f"redis+socket://{tmp_path}/none.sock"
    with pytest.raises(CommandError, match="1 of 14 checks found a problem"):
        call_command("doctor")
    assert "→ Start Valkey or Redis." in capsys.readouterr().out


def test_administrators_alone_see_the_status_page(admin_client: Client, client: Client) -> None:
    page = admin_client.get("/admin/status/").content.decode()
    assert "Everything that Earshot needs works." in page
    assert all(f'<th scope="row">{name}</th>' in page for name in PARTS)
    get_user_model().objects.create_user("rosa", password="pw", is_staff=True)
    client.login(username="rosa", password="pw")
    assert client.get("/admin/status/").status_code == 403
    assert Client().get("/admin/status/").status_code == 302


@pytest.mark.sqlite
def test_many_raters_at_once_on_sqlite_are_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found()["raters"].state == OK
    monkeypatch.setattr("raters.rating.monitor.at_work", lambda now: 101)
    assert found()["raters"].state == WARNING
    assert "PostgreSQL" in found()["raters"].remedy

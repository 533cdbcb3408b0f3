"""What becomes of the results of checks: exports, the study's page, the session's page in the admin."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analysis.live import work_page
from analysis.live.result import Flow
from raters.models import CheckResult
from raters.rating import monitor
from studies.models import Study
from tests.raters.sessions.screening.listener import ALL, Listener, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def study(now: datetime) -> Study:
    """Return a study with somebody who passed all, somebody who was marked, and somebody who had to leave."""
    study = make_study(now, **{**ALL, "screening__device": "flag", "screening__headphones": "antiphase"})
    Listener(study, now).agree().go().read().go()
    Listener(study, now).agree().go(failing=("device",)).read()
    Listener(study, now).agree().go(failing=("device", "antiphase"))
    return study


def exported(study: Study, folder: Path, **options: Any) -> dict[str, list[dict[str, str]]]:
    call_command("export_study", study.slug, out=folder, **options)
    return {path.stem: list(csv.DictReader(path.open(encoding="utf-8"))) for path in folder.glob("*.csv")}


def test_sessions_name_what_they_did_not_pass_and_each_check_is_a_row(study: Study, tmp_path: Path) -> None:
    tables = exported(study, tmp_path / "all")
    assert [row["checks_failed"] for row in tables["raters"]] == ["", "device", "device|antiphase"]
    assert [row["outcome"] for row in tables["raters"]] == ["", "", "screened_out"]
    rows = [(row["check"], row["right"], row["of"], row["tries"], row["passed"]) for row in tables["checks"]]
    assert rows[:3] == [
        ("device", "1", "1", "1", "true"),
        ("language", "1", "1", "1", "true"),
        ("volume", "1", "1", "1", "true"),
    ]
    assert ("antiphase", "6", "6", "1", "true") in rows
    assert rows[-1] == ("antiphase", "0", "6", "2", "false")
    known = {row["session"] for row in tables["raters"]}
    assert {row["session"] for row in tables["checks"]} == known
    described = {row["column"] for row in tables["codebook"] if row["table"] == "checks"}
    assert described == set(tables["checks"][0])


def test_what_is_published_tells_the_day_and_its_own_pseudonyms(study: Study, tmp_path: Path) -> None:
    tables = exported(study, tmp_path / "open", profile="open")
    assert {row["began_at"] for row in tables["checks"]} == {"2026-03-02"}
    assert {row["session"] for row in tables["checks"]} == {row["session"] for row in tables["raters"]}


def test_a_study_that_checks_nobody_has_no_such_table(now: datetime, tmp_path: Path) -> None:
    study = make_study(now)
    Listener(study, now).start()
    tables = exported(study, tmp_path / "none")
    assert "checks" not in tables
    assert tables["raters"][0]["checks_failed"] == ""


def test_the_studys_page_counts_those_who_were_left_out(study: Study, now: datetime) -> None:
    people = monitor.flow(study.pk, False)
    assert people["screened_out"] == 1
    assert ("left out by the first checks", 1, True) in work_page.flow(Flow(**people))
    others = work_page.flow(Flow(**monitor.flow(make_study(now).pk, False)))
    assert "left out by the first checks" not in [label for label, _people, _is_exit in others]


def test_a_sessions_page_in_the_admin_shows_its_checks_and_no_answer_keys(study: Study, client: Client) -> None:
    client.force_login(User.objects.create_superuser("rosa", password="pw"))
    result = CheckResult.objects.filter(name="antiphase").latest("pk")
    text = client.get(reverse("admin:raters_session_change", args=[result.session_id])).text
    assert "antiphase" in text
    assert "drawn" not in text

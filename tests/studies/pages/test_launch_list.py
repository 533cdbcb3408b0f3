"""The launch page's list: what it found, where it is fixed, and what a launch asks of raters."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.urls import reverse

from studies.launch import checks, server_checks
from studies.launch.effort import effort
from studies.pages import launch_list
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_each_problem_links_to_the_page_that_fixes_it():
    study = make_study(now=NOW, launch=False, flawed=0, texts__contact="")
    groups = {group.level: group.lines for group in launch_list.context(study)["groups"]}
    assert any(line.url == reverse("admin:studies_study_change", args=[study.pk]) for line in groups["blocking"])
    contact = next(line for line in groups["warning"] if "contact" in line.message)
    assert contact.label == "Open Design"


def test_every_place_of_a_finding_leads_somewhere():
    study = make_study(now=NOW, launch=False)
    for name in (*launch_list.PLACES, "status", "judge:prescreening"):
        assert launch_list._line(study, checks.LaunchFinding("note", "-", name)).url


def test_a_worker_that_takes_nothing_is_worth_a_look(monkeypatch: pytest.MonkeyPatch):
    bad = server_checks.Finding("jobs", "problem", "Work has waited.")
    monkeypatch.setattr("core.operations.doctor.waiting_jobs", lambda: [bad])
    assert any("Work has waited" in each.message for each in server_checks.findings() if each.level == "warning")


def test_the_cost_is_the_pay_of_the_raters_needed():
    study = make_study(now=NOW, launch=False, payment__rate=1.6, payment__minutes=8)
    result = effort(checks.plan_of(study))
    assert result.total == Decimal("1.60") * result.raters > 0
    assert result.minutes == 8

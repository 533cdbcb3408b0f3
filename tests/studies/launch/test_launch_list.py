"""The launch page's list: what it found, where it is fixed, and what a launch asks of raters."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from studies.launch import checks, launch_list, server_checks
from studies.launch.effort import effort
from studies.launch.plan import plan_of
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_each_problem_links_to_the_page_that_fixes_it():
    study = make_study(now=NOW, launch=False, flawed=0, texts__contact="")
    groups = {group.level: group.lines for group in launch_list.context(study, timezone.now())["groups"]}
    design = reverse("studies:design", args=[study.slug])
    assert any(line.url == f"{design}#protocol.flawed_traps" for line in groups["blocking"])
    contact = next(line for line in groups["warning"] if "contact" in line.message)
    assert (contact.label, contact.url) == ("Open Design", f"{design}#texts.contact")


def test_every_place_of_a_finding_leads_somewhere():
    study = make_study(now=NOW, launch=False)
    for name in (*launch_list.PLACES, launch_list.DESIGN, "status", "judge:prescreening"):
        assert launch_list._line(study, checks.LaunchFinding("note", "-", name)).url


def test_a_worker_that_takes_nothing_is_worth_a_look(monkeypatch: pytest.MonkeyPatch):
    bad = server_checks.Finding("jobs", "problem", "Work has waited.")
    monkeypatch.setattr("core.operations.doctor.waiting_jobs", lambda: [bad])
    assert any("Work has waited" in each.message for each in server_checks.findings() if each.level == "warning")


def test_the_cost_is_the_pay_of_the_raters_needed():
    study = make_study(now=NOW, launch=False, payment__rate=1.6, payment__minutes=8)
    result = effort(plan_of(study))
    assert result.total == Decimal("1.60") * result.raters > 0
    assert result.minutes == 8


def test_publishing_lists_each_changed_setting_before_and_after():
    study = make_study(now=NOW, texts__instructions="Listen to the whole clip, and then say who speaks in it, please.")
    assert launch_list.changed(study)["changed"] == []
    texts = {**study.draft["texts"], "instructions": "Listen to the whole clip, and then say who is speaking in it."}
    study.draft = {**study.draft, "texts": texts, "protocol": {**study.draft["protocol"], "ratings_wanted": 77}}
    study.save()
    rows = {change.name: change for group in launch_list.changed(study)["changed"] for _label, change in group.rows}
    assert set(rows) == {"instructions", "ratings_wanted"}
    assert rows["ratings_wanted"].after == "77"
    assert ("out", "speaks") in rows["instructions"].pieces
    assert ("in", "is speaking") in rows["instructions"].pieces


def test_publishing_names_choices_as_their_form_does():
    study = make_study(now=NOW)
    study.draft = {**study.draft, "screening": {**study.draft["screening"], "device": "screen_out"}}
    [[(label, change)]] = [group.rows for group in launch_list.changed(study)["changed"]]
    assert (label, change.before, change.after) == ("Device", "Off", "End the session")


def test_what_raters_never_meet_is_no_change():
    study = make_study(now=NOW)
    study.draft = {**study.draft, "payment": {**study.draft["payment"], "rate": 3}}
    assert launch_list.changed(study)["changed"] == []

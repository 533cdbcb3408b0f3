"""What a program needs between creating a study and its results, and what a key alone must never do."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analysis.report import printing
from analysis.runs.models import Analysis
from core import clock, jobs
from core.files import storage
from core.paths import ROOT
from raters.models import Answer, Payment, PaymentList, PlatformStudy, Session
from raters.payments import urls as paying
from raters.simulation import runs
from raters.simulation.models import Simulation
from studies.audit.models import VERSION, ClipAudit, StudyAudit
from studies.models import Pool, Study
from tests.analysis.world import World
from tests.api.caller import Caller, owned, refused, token
from tests.researchers import researcher
from tests.world import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(rita: User, files: Path, now: datetime) -> Study:
    return owned(make_study(now=now, launch=False, payment__rate=1.5, payment__minutes=10), rita)


@pytest.fixture
def live(rita: User, files: Path, now: datetime) -> Study:
    return owned(make_study(now=now), rita)


def test_the_audit_is_started_and_read(draft: Study, api: Caller) -> None:
    path = f"/studies/{draft.slug}/audit"
    before = api.get(path).json()
    assert (before["state"], before["measured"], before["total"]) == ("none", 0, draft.clips.count())
    response = api.post(path)
    assert (response.status_code, response.json()["state"]) == (202, "queued")
    assert api.post(path).json()["state"] == "queued"
    assert StudyAudit.objects.filter(study=draft).count() == 1
    clip = draft.clips.filter(role="test").first()
    assert clip is not None
    ClipAudit.objects.create(
        clip=clip,
        version=VERSION,
        rendition=clip.rendition,
        problem=ClipAudit.Problem.UNREADABLE,
        measured_at=clock.now(),
    )
    found = api.get(path).json()["findings"]
    assert [each["level"] for each in found]
    assert set(found[0]) == {"level", "key", "text", "why", "repair"}


def test_the_cost_of_a_draft_is_the_one_of_its_pages(draft: Study, api: Caller) -> None:
    cost = api.get(f"/studies/{draft.slug}/cost").json()
    assert (cost["minutes"], cost["pay"], cost["pay_per_hour"]) == (10, 1.5, 9.0)
    assert cost["total"] == pytest.approx(cost["raters"] * (cost["pay"] + cost["bonus"]))
    assert cost["total_with_fee"] == pytest.approx(cost["total"] * (1 + cost["fee_percent"] / 100), abs=0.01)


def test_simulated_raters_take_part_once_and_no_real_place(live: Study, api: Caller) -> None:
    path, asked = f"/studies/{live.slug}/simulations", {"raters": 2, "seed": 3}
    begun = api.post(path, asked)
    assert (begun.status_code, begun.json()["state"]) == (202, "queued")
    assert api.post(path, asked).json()["id"] == begun.json()["id"]
    assert runs.run(pk=begun.json()["id"], clock=clock.now)
    assert api.get(begun["Location"]).json()["state"] == "done"
    assert list(Session.objects.values_list("simulated", "outcome")) == [(True, "complete")] * 2
    assert not Pool.objects.filter(cell__simulated=False, taken__gt=0).exists()
    answers = Answer.objects.count()
    again = api.post(path, asked).json()
    assert again["id"] != begun.json()["id"]
    runs.run(pk=again["id"], clock=clock.now)
    assert Answer.objects.count() == answers


def test_simulated_raters_do_not_enter_a_draft(draft: Study, api: Caller) -> None:
    refused(api.post(f"/studies/{draft.slug}/simulations", {"raters": 2}), 409, "wrong_state")
    refused(api.post(f"/studies/{draft.slug}/simulations", {"raters": 0}), 422, "invalid")
    assert not Simulation.objects.exists()


def test_report_and_tables_of_an_analysis_are_downloaded(rita: User, api: Caller, files: Path, now: datetime) -> None:
    world = World(now)
    owned(world.study, rita)
    stored = {printing.HTML: storage.put("analyses", b"<p>report"), "problem": "No PDF.", printing.TABLES: ""}
    row = Analysis.objects.create(
        study=world.study, created_at=now, state=jobs.DONE, settings={}, files={"documents": stored}
    )
    path = f"/studies/{world.study.slug}/analyses/{row.pk}"
    documents = api.get(path).json()["documents"]
    assert list(documents) == ["report.html"]
    response = api.get(documents["report.html"])
    assert b"".join(response.streaming_content) == b"<p>report"
    assert "attachment" in response["Content-Disposition"]
    refused(api.get(f"{path}/documents/problem"), 404, "not_found")


@pytest.mark.parametrize("name", ["audit", "cost", "simulations", "simulations/1"])
def test_somebody_elses_study_is_not_there(name: str, rita: User, api: Caller, files: Path, now: datetime) -> None:
    theirs = owned(make_study(now=now), researcher("otto"))
    path = f"/studies/{theirs.slug}/{name}"
    refused(api.post(path, {"raters": 1}) if name == "simulations" else api.get(path), 404, "not_found")


def test_reading_scopes_start_neither_audits_nor_simulated_raters(rita: User, live: Study) -> None:
    reader = Caller(token(rita, "studies:read", "results:read", "results:write"))
    for name in ("audit", "simulations"):
        refused(reader.post(f"/studies/{live.slug}/{name}", {"raters": 1}), 403, "missing_scope")
    assert not Simulation.objects.exists()
    assert not StudyAudit.objects.exists()


def test_no_endpoint_of_the_api_recruits_or_pays() -> None:
    paths = yaml.safe_load((ROOT / "docs" / "openapi.yaml").read_text())["paths"]
    names = {part for path in paths for part in path.split("/") if not part.startswith("{")}
    assert names & {"launch", "audit", "cost", "simulations"}
    assert not [name for name in names if any(word in name for word in ("pay", "recruit", "platform", "prolific"))]


@pytest.mark.parametrize("page", ["agents.md", "examples/earshot-skill/SKILL.md"])
def test_every_request_of_the_guides_exists(page: str) -> None:
    paths = yaml.safe_load((ROOT / "docs" / "openapi.yaml").read_text())["paths"]
    text = (ROOT / "docs" / page).read_text().replace("six-voices", "{slug}")
    asked = re.findall(r"(GET|POST|PATCH) (/[a-z{}/]+)", text)
    assert len(asked) > 8
    for method, path in asked:
        assert method.lower() in paths[f"/api/v1{path}"], (method, path)


def payment_pages(study: Study) -> list[str]:
    """Return the addresses of all payment pages; the platforms' own messages are signed instead."""
    pages = [page for page in paying.urlpatterns if page.name != "hook"]
    parts = [{"slug": study.slug} | ({"pk": 1} if ":pk" in str(page.pattern) else {}) for page in pages]
    return [reverse(f"paying:{page.name}", kwargs=each) for page, each in zip(pages, parts, strict=True)]


def test_a_key_alone_neither_recruits_nor_pays(rita: User, live: Study) -> None:
    headers: dict[str, Any] = {"Authorization": f"Bearer {token(rita)}"}
    program = Client()
    pages = payment_pages(live)
    assert reverse("paying:confirm", args=[live.slug, 1]) in pages
    for address in [*pages, reverse("workspace:recruit", args=[live.slug])]:
        response = program.post(address, {"confirmed": "on", "study_id": "1"}, headers=headers)
        assert response.status_code in {302, 403, 405}, address
        assert response.status_code != 302 or "/login/" in response["Location"], address
    assert not any(model.objects.exists() for model in (PaymentList, Payment, PlatformStudy))

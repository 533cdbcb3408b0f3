from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as configured
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from core import clock, jobs
from core.operations import health
from studies.summaries.models import Summary
from tests.world import make_study

pytestmark = pytest.mark.django_db
TOKEN = "a-token-for-prometheus"
ALLOWED = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def told(settings: Any) -> None:
    """Let the server count."""
    settings.METRICS_TOKEN = TOKEN
    settings.MIDDLEWARE = ["core.web.middleware.RequestMetrics", *configured.MIDDLEWARE]


def read() -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Return each sample by name and labels."""
    response = Client().get("/metrics", headers=ALLOWED)
    assert response.status_code == 200
    families = text_string_to_metric_families(response.content.decode())
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def test_without_a_token_set_there_is_no_such_page() -> None:
    assert Client().get("/metrics").status_code == 404
    assert Client().get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


@pytest.mark.usefixtures("told")
def test_another_token_is_refused() -> None:
    assert Client().get("/metrics").status_code == 401
    assert Client().get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 401


@pytest.mark.usefixtures("told")
def test_requests_are_counted_by_page_and_never_by_address() -> None:
    name = ("earshot_requests_total", (("method", "GET"), ("page", "raters:arrive"), ("status", "404")))
    before = read().get(name, 0)
    for _ in range(3):
        Client().get("/s/a-slug-that-nobody-has/?PROLIFIC_PID=somebody")
    samples = read()
    assert samples[name] - before == 3
    assert ("earshot_request_seconds_count", (("page", "raters:arrive"),)) in samples
    assert "somebody" not in str(samples)
    assert "a-slug-that-nobody-has" not in str(samples)


@pytest.mark.usefixtures("told")
def test_an_address_that_leads_nowhere_and_a_made_up_method_add_no_labels() -> None:
    Client().generic("BREW", "/no-such-page/one")
    Client().get("/no-such-page/two")
    pages = {dict(labels).get("page") for name, labels in read() if name == "earshot_requests_total"}
    methods = {dict(labels).get("method") for name, labels in read() if name == "earshot_requests_total"}
    assert "none" in pages
    assert methods <= {"GET", "POST", "other"}
    assert "BREW" not in methods


@pytest.mark.usefixtures("told")
def test_work_that_waits_is_counted_with_the_age_of_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "parts", lambda: {"database": True, "files": False})
    now = clock.now()
    study = make_study(now=now)
    for name, age in (("launch", 40), ("plan", 10)):
        Summary.objects.create(study_id=study.pk, name=name, state=jobs.QUEUED, queued_at=now - timedelta(seconds=age))
    samples = read()
    assert samples["earshot_jobs", (("job", "studies.summary"), ("state", "queued"))] == 2
    assert samples["earshot_jobs", (("job", "studies.summary"), ("state", "running"))] == 0
    assert 40 <= samples["earshot_job_waiting_seconds", (("job", "studies.summary"),)] < 60
    assert samples["earshot_part_up", (("part", "database"),)] == 1
    assert samples["earshot_part_up", (("part", "files"),)] == 0

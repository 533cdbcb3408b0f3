"""The list of studies: its filters, the last activity, and what waits for a person."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from accounts.models import User
from core import clock
from raters.experts import queue_filling
from studies.launch import archiving, frame
from studies.members.pages import record
from studies.models import Study
from tests.analysis.world import World
from tests.researchers import logged_in, researcher, text
from tests.world import make_study
from workspace import activity


@pytest.fixture
def rita(db: None, files: Path) -> User:
    return researcher("rita")


@pytest.fixture
def client(rita: User) -> Client:
    return logged_in(rita)


def make(rita: User, now: datetime, **columns: Any) -> Study:
    study = make_study(now=now)
    Study.objects.filter(pk=study.pk).update(owner=rita, **columns)
    return Study.objects.get(pk=study.pk)


def listed(client: Client, **query: str) -> list[str]:
    page = text(client.get(reverse("workspace:home"), query))
    return re.findall(r'<h2><a href="/studies/[^"]+" dir="auto">([^<]+)<', page)


def test_studies_are_filtered_by_state_and_archived_ones_stand_apart(rita: User, client: Client, now: datetime) -> None:
    for state in ("draft", "live", "paused", "closed"):
        make(rita, now, title=state, state=state)
    archiving.archive(study=make(rita, now, title="old", state="closed"), now=now)
    assert set(listed(client)) == {"draft", "live", "paused", "closed"}
    assert listed(client, state="draft") == ["draft"]
    assert set(listed(client, state="collecting")) == {"live", "paused"}
    assert listed(client, state="closed") == ["closed"]
    assert listed(client, state="archived") == ["old"]
    assert listed(client, state="collecting", q="paus") == ["paused"]
    assert len(listed(client, state="nonsense")) == 4
    page = re.sub(r"\s+", " ", text(client.get(reverse("workspace:home"))))
    assert 'Archived <span class="ws-count">1</span>' in page


def test_an_archived_study_waits_for_nobody(rita: User, client: Client, now: datetime) -> None:
    world = World(now, {"review__mode": "all"})
    Study.objects.update(owner=rita, state="closed")
    world.study.refresh_from_db()
    world.rate(world.batch(world.session()), world.clips("human")[0], "human", reason="So clear.")
    for queue in queue_filling.QUEUES:
        queue.fill(study=world.study)
    assert "1 to do under “Review reasons”" in text(client.get(reverse("workspace:home")))
    archiving.archive(study=world.study, now=now)
    assert "Review reasons" not in text(client.get(reverse("workspace:home")))


def test_reasons_of_simulated_raters_wait_for_nobody(rita: User, client: Client, now: datetime) -> None:
    world = World(now, {"review__mode": "all", "review__simulated": True})
    Study.objects.update(owner=rita)
    world.study.refresh_from_db()
    world.rate(world.batch(world.session(simulated=True)), world.clips("human")[0], "human", reason="So clear.")
    for queue in queue_filling.QUEUES:
        queue.fill(study=world.study)
    assert "Review reasons" not in text(client.get(reverse("workspace:home")))


def test_the_last_activity_is_the_newest_answer_or_entry_of_the_history(rita: User, now: datetime) -> None:
    world = World(now)
    Study.objects.update(owner=rita, created_at=now - timedelta(days=9), launched_at=now - timedelta(days=8))
    world.study.refresh_from_db()
    assert activity.last_of([world.study])[world.study.pk] == now - timedelta(days=8)
    record(rita, world.study, "Changed.")
    LogEntry.objects.update(action_time=now - timedelta(days=2))
    assert activity.last_of([world.study])[world.study.pk] == now - timedelta(days=2)
    answer = world.rate(world.batch(world.session()), world.clips("human")[0], "human")
    assert activity.last_of([world.study])[world.study.pk] == answer.trial.answered_at


def test_the_last_activity_is_said_in_words(now: datetime) -> None:
    assert activity.in_words(now - timedelta(hours=2, minutes=3), now).replace("\xa0", " ") == "active 2 hours ago"
    assert activity.in_words(now - timedelta(seconds=20), now) == "active just now"


def test_design_is_done_once_somebody_who_may_change_it_has_looked(rita: User, client: Client) -> None:
    client.post("/new-study/", {"preset": "acr", "title": "Voices", "language": "en"})
    study = Study.objects.get()
    assert not frame.steps(study)[0].is_done
    client.get(reverse("studies:design", args=[study.slug]))
    study.refresh_from_db()
    assert frame.steps(study)[0].is_done
    assert study.designed_at is not None
    assert abs(study.designed_at - clock.now()) < timedelta(minutes=1)


def test_a_new_study_starts_from_another_one_without_its_clips(rita: User, client: Client, now: datetime) -> None:
    origin = make(rita, now, title="Voices")
    page = text(client.get("/new-study/"))
    assert f'<option value="{origin.slug}">Voices</option>' in page
    client.post("/new-study/", {"preset": "acr", "title": "Next", "language": "en", "origin": origin.slug})
    study = Study.objects.get(slug="next")
    assert (study.copied_from, study.clips.count()) == (origin.slug, 0)
    assert study.definition.preset == origin.definition.preset


def test_a_study_of_another_person_is_no_template(client: Client, now: datetime) -> None:
    other = make(researcher("otto"), now, title="Theirs")
    assert "Theirs" not in text(client.get("/new-study/"))
    response = client.post("/new-study/", {"preset": "acr", "title": "Next", "language": "en", "origin": other.slug})
    assert response.status_code in {302, 400}
    assert not Study.objects.filter(copied_from=other.slug).exists()

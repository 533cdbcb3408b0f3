"""The payments of a large study: a worker counts, the page says as of when, and every action reads the rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core import clock, jobs
from raters.models import Payment, PaymentList, Session, Submission
from raters.payments import overview, reconciling, views
from raters.payments.overview import ListedRows, PaymentsOverview
from studies.summaries import services as summaries
from studies.summaries.models import Summary
from tests.raters.payments.world import World, make

pytestmark = pytest.mark.django_db
Outcome = Session.Outcome


@pytest.fixture
def world(now: datetime, monkeypatch: pytest.MonkeyPatch) -> World:
    """A study with people of every kind, and a submission that nobody here belongs to."""
    made = make(now, payment__rate=3.0)
    monkeypatch.setattr(clock, "now", made.clock)
    for name, outcome in (
        ("ann", Outcome.COMPLETE),
        ("bob", Outcome.SCREENED_OUT),
        ("cem", Outcome.COMPLETE),
        ("dot", Outcome.WITHDRAWN),
        ("eve", Outcome.COMPLETE),
    ):
        made.finish(name, outcome)
    made.fake.submission("stray", participant="nobody", started_at=made.now)
    made.read()
    return made


@pytest.fixture
def boss(world: World) -> Client:
    client = Client()
    client.force_login(world.user)
    return client


def shown(world: World, boss: Client, query: str = "") -> str:
    page = boss.get(f"/studies/{world.study.slug}/paying/{query}")
    assert page.status_code == 200
    changing = r'(?s)<p class="quiet stamp">As of.*?</p>|name="csrfmiddlewaretoken" value="\w+"|\s+'
    return re.sub(r"\s+", " ", re.sub(changing, " ", page.text))


def work() -> None:
    for row in Summary.objects.filter(state=jobs.QUEUED):
        assert summaries.refresh(pk=row.pk, clock=clock.now)


def offered(page: str, kind: str) -> str:
    """Return the button that prepares a list of this kind, with what stands before it."""
    return next(part for part in page.split("<li>") if f'name="kind" value="{kind}"' in part)


def test_the_page_of_a_large_study_is_that_of_a_small_one_once_a_worker_has_counted(
    world: World, boss: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = [shown(world, boss, f"?show={name}") for name in ("", "any", "undecided", "not_here", "awaiting_review")]
    monkeypatch.setattr(summaries, "QUICK", 0)
    first = shown(world, boss)
    assert "A worker is computing this for the first time" in first
    # Whoever pays need not wait for that.
    assert "disabled" not in offered(first, "approve")
    work()
    large = [shown(world, boss, f"?show={name}") for name in ("", "any", "undecided", "not_here", "awaiting_review")]
    # Old numbers may say that there is nobody, so that every list can be prepared.
    assert [page.replace(" disabled", "") for page in small] == large


def test_a_list_is_made_of_the_rows_and_not_of_old_numbers(
    world: World, boss: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summaries, "QUICK", 0)
    shown(world, boss)
    work()
    assert '<span class="count">3</span>' in offered(shown(world, boss), "approve")
    world.finish("fay")
    world.read()
    assert '<span class="count">3</span>' in offered(shown(world, boss), "approve")
    boss.post(f"/studies/{world.study.slug}/paying/prepare", {"platform": world.platform.pk, "kind": "approve"})
    assert Payment.objects.filter(list=PaymentList.objects.get()).count() == 4


def test_after_an_action_all_is_counted_again_at_once(
    world: World, boss: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summaries, "QUICK", 0)
    shown(world, boss)
    work()
    world.wait(seconds=1)
    Session.objects.filter(ext_session__contains="dot").update(payable=None)
    dot = Session.objects.filter(study=world.study).order_by("pk")[3]
    shown(world, boss)
    assert Summary.objects.get().state == jobs.DONE
    boss.post(f"/studies/{world.study.slug}/paying/decide", {"session": dot.pk, "payable": "yes"})
    shown(world, boss)
    assert Summary.objects.get().state == jobs.QUEUED
    work()
    assert '<span class="count">4</span>' in offered(shown(world, boss), "approve")


@pytest.mark.parametrize("most", [2, 2000])
def test_pages_of_rows_hold_each_row_once_and_in_order(
    world: World, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(overview, "MOST", most)
    Submission.objects.filter(ext_session__startswith="stray").update(session=Session.objects.all()[0])
    linked = reconciling.platforms(world.study.pk)
    every = reconciling.rows(world.study.pk, linked)
    value = overview.compute(world.study, "")
    assert len(every) == 6
    for name in value.rows:
        expected = [row for row in every if name in overview.filters_of(row)]
        assert value.rows[name].number == len(expected)
        assert list(pages(world, value, name)) == (expected if name == "" else expected[:most])


def pages(world: World, value: PaymentsOverview, name: str) -> Iterator[Any]:
    """Yield the rows of a filter, two at a time."""
    rows = ListedRows(world.study.pk, reconciling.platforms(world.study.pk), value, name)
    for start in range(0, len(rows), 2):
        yield from rows[start : start + 2]


def test_a_page_reads_the_sessions_that_it_shows_alone(
    world: World, boss: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nothing is few enough to be read by the page, not even no ratings.
    monkeypatch.setattr(summaries, "QUICK", -1)
    monkeypatch.setattr(views, "ROWS", 2)
    shown(world, boss)
    work()
    with CaptureQueriesContext(connection) as asked:
        page = shown(world, boss, "?page=3")
    assert page.count('<th scope="row"><code>') == 2
    assert "Page 3 of 3" in page
    assert not any("raters_trialclip" in each["sql"] for each in asked)

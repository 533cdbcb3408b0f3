"""What pages show of all rows of a study: at once where it is small, else as a worker computed it."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from analysis.live.stored import FIGURES
from analysis.metrics.models import MetricSet
from core import clock, jobs
from judge.models import JudgeRun
from studies import hooks
from studies.imports import changes
from studies.launch import launch_list
from studies.models import Study
from studies.summaries import services as summaries
from studies.summaries.models import Summary
from tests.roles.world import Shared, make

LAUNCH, REVIEWS, CODES = "studies:launch", "experts:review_overview", "experts:coding_overview"
AUDIT, DESIGN = "studies:audit", "studies:design"
RUN, PRESCREENING, METRIC = "judge:run", "judge:prescreening", "analysis:metric"
WAIT, AS_OF = "A worker is computing this for the first time", "so a worker computes this from time to time"
CHANGED = "Clips or their measures changed since."


@pytest.fixture
def shared(db: None, files: Path, now: datetime) -> Shared:
    made = make(now)
    # The figures of its page.
    Summary.objects.all().delete()
    return made


def shown(shared: Shared, name: str) -> str:
    where: list[Any] = [shared.study.pk if name.startswith("admin:") else shared.study.slug]
    if name in (RUN, METRIC):
        where.append({RUN: JudgeRun, METRIC: MetricSet}[name].objects.get().pk)
    return shared.clients["owner"].get(reverse(name, args=where)).content.decode()


def work() -> None:
    for pk in Summary.objects.filter(state=jobs.QUEUED).values_list("pk", flat=True):
        assert summaries.refresh(pk=pk, clock=clock.now)


def lasting(page: str) -> list[str]:
    """Return the lines of a page without what is made anew for each request."""
    changing = ("csrf", "?preview=", "<svg")
    return [line for line in page.splitlines() if line.strip() and not any(word in line for word in changing)]


@pytest.mark.parametrize("name", [LAUNCH, REVIEWS, CODES, AUDIT, DESIGN, RUN, PRESCREENING, METRIC])
def test_a_page_of_a_large_study_shows_what_a_worker_computed_and_since_when(
    shared: Shared, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    at_once = shown(shared, name)
    assert WAIT not in at_once
    assert AS_OF not in at_once
    assert not Summary.objects.exists()
    monkeypatch.setattr(summaries, "QUICK", -1)
    assert WAIT in shown(shared, name)
    work()
    later = shown(shared, name)
    assert WAIT not in later
    assert AS_OF in later
    assert [line for line in lasting(at_once) if line not in lasting(later)] == []


def test_a_summary_is_computed_again_after_a_while_and_never_twice_at_once(
    shared: Shared, monkeypatch: pytest.MonkeyPatch, now: datetime
) -> None:
    monkeypatch.setattr(summaries, "QUICK", -1)
    kind, study = launch_list.SUMMARY, shared.study
    for _ in range(2):
        assert summaries.summary(kind, study, now=now).value is None
    row = Summary.objects.get()
    summaries.refresh(pk=row.pk, clock=lambda: now)
    assert not summaries.refresh(pk=row.pk, clock=lambda: now)
    summaries.summary(kind, study, now=now + summaries.MAX_AGE - timedelta(seconds=1))
    assert Summary.objects.get().state == jobs.DONE
    assert summaries.summary(kind, study, now=now + summaries.MAX_AGE).computed_at == now
    assert Summary.objects.get().state == jobs.QUEUED


def test_a_summary_is_computed_again_once_clips_changed_and_says_so_until_then(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summaries, "QUICK", -1)
    shown(shared, AUDIT)
    work()
    assert CHANGED not in shown(shared, AUDIT)
    assert not Summary.objects.filter(state=jobs.QUEUED).exists()
    changes.withdraw(clips=[shared.study.clips.order_by("pk")[0].pk], now=clock.now())
    assert CHANGED in shown(shared, AUDIT)
    work()
    assert CHANGED not in shown(shared, AUDIT)


def test_clips_that_change_while_a_summary_is_computed_outdate_it(
    shared: Shared, monkeypatch: pytest.MonkeyPatch, now: datetime
) -> None:
    monkeypatch.setattr(summaries, "QUICK", -1)
    kind, study = launch_list.SUMMARY, shared.study
    summaries.summary(kind, study, now=now)
    compute = kind.compute

    def and_change(of: Study, choice: str) -> Any:
        value = compute(of, choice)
        summaries.outdate(of)
        return value

    monkeypatch.setitem(kind.__dict__, "compute", and_change)
    work()
    assert summaries.summary(kind, study, now=now).is_outdated


def test_a_summary_waits_longer_the_longer_it_takes(now: datetime) -> None:
    took = timedelta(seconds=10)
    row = Summary(state=jobs.DONE, computed_at=now, ended_at=now + took)
    assert not summaries.is_due(row, now + took + summaries.TIMES * took - timedelta(seconds=1))
    assert summaries.is_due(row, now + took + summaries.TIMES * took)


def test_an_erasure_drops_the_summaries_which_may_quote_what_was_erased(
    shared: Shared, monkeypatch: pytest.MonkeyPatch, now: datetime
) -> None:
    monkeypatch.setattr(summaries, "QUICK", -1)
    shown(shared, CODES)
    for hook in hooks.erasures:
        hook.rows(shared.study.pk, 0, now)
    assert not Summary.objects.exists()


def test_figures_are_computed_one_study_after_the_other_the_one_that_waits_longest_first(
    shared: Shared, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    Summary.objects.all().delete()
    told: list[int] = []
    monkeypatch.setattr(summaries, "nudge", lambda task, pk: told.append(pk))
    later, first, running = (
        Summary.objects.create(
            study=shared.study,
            name=FIGURES.name,
            choice=choice,
            language="",
            queued_at=now - timedelta(minutes=minutes),
        )
        for choice, minutes in (("without", 1), ("with", 2), ("only", 3))
    )
    assert jobs.claim(Summary, running.pk, now) is not None
    assert not summaries.refresh(pk=later.pk, clock=lambda: now)
    Summary.objects.filter(pk=running.pk).update(state=jobs.DONE)
    assert summaries.refresh(pk=later.pk, clock=lambda: now)
    states = dict(Summary.objects.values_list("choice", "state"))
    assert (states["with"], states["without"]) == (jobs.DONE, jobs.QUEUED)
    assert told == [later.pk]
    first.refresh_from_db()
    assert first.value is not None


def test_what_failed_is_not_tried_again_at_once(now: datetime) -> None:
    row = Summary(state=jobs.FAILED, ended_at=now)
    assert not summaries.is_due(row, now + summaries.MAX_AGE - timedelta(seconds=1))
    assert summaries.is_due(row, now + summaries.MAX_AGE)

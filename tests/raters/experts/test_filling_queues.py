"""Who puts answers into the queues of experts: a worker, as they become usable; a page never does."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from core import clock, jobs
from core.registry import Registry
from core.tasks import sweep
from raters import tasks
from raters.experts import answers as answer_kinds
from raters.experts import queue_filling
from raters.experts.coding import CODING
from raters.experts.reviewing import REVIEW
from raters.models import Answer, CodingItem, NewlyUsable, QueueFill, ReviewItem
from raters.rating import hooks, verdicts
from studies.models import Study
from studies.rules.decisions import draws
from tests.raters.experts.people import expert
from tests.raters.experts.reviewing import answers, change, empty_queues, fill_queues, rate, rated_study
from tests.researchers import logged_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
PAGES = ("review", "review_current", "review_overview", "coding", "coding_current", "coding_overview")


@pytest.fixture
def study(now: datetime) -> Study:
    return rated_study(now, people=2, coding__mode="all")


@pytest.fixture
def nudged(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows that pages told a worker about."""
    sent: list[int] = []
    monkeypatch.setattr("raters.experts.answers.nudge", lambda task, pk: sent.append(pk))
    return sent


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_experts_never_looks_for_answers_that_are_in_no_queue(
    study: Study, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in queue_filling.QUEUES:
        monkeypatch.setattr(kind, "fill", lambda **told: pytest.fail("a page fills a queue"))
    study.owner = eva = expert("eva", study)
    study.save(update_fields=["owner"])
    browser = logged_in(eva)
    with CaptureQueriesContext(connection) as asked:
        assert browser.get(reverse(f"experts:{name}", args=[study.slug])).status_code == 200
    # Every statement begins at the queue's own items; one that begins at the answers reads all of them.
    starts = [query["sql"] for query in asked.captured_queries if 'FROM "raters_answer"' in query["sql"]]
    assert [sql for sql in starts if '"raters_answer"."trial_id" IN (' not in sql] == []


def test_a_worker_that_decides_a_batch_takes_up_its_answers_and_no_others(study: Study, now: datetime) -> None:
    empty_queues(study)
    person = rate(study, now)
    theirs = set(answers(study).filter(trial__rater=person.session.rater_id).values_list("pk", flat=True))
    assert len(theirs) == 7
    assert set(ReviewItem.objects.values_list("pk", flat=True)) == theirs
    assert set(CodingItem.objects.values_list("answer", flat=True)) == theirs
    for item in ReviewItem.objects.all():
        assert (item.draw, item.double_draw) == draws("review", study.secret, item.pk)
    assert not NewlyUsable.objects.exists()


def test_what_a_worker_left_when_it_died_is_taken_up_by_the_sweep(
    study: Study, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(hooks, "newly_usable", Registry())
        rate(study, now)
    assert ReviewItem.objects.count() == 14
    sweep()
    assert ReviewItem.objects.count() == CodingItem.objects.count() == 21


def test_a_batch_is_decided_even_when_its_answers_can_not_be_taken_up(
    study: Study, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**told: Any) -> int:
        raise ValueError("no")

    with monkeypatch.context() as patched:
        patched.setattr(REVIEW, "fill", fail)
        person = rate(study, now)
    assert answers(study).filter(trial__rater=person.session.rater_id, trial__usable=True).count() == 7
    assert ReviewItem.objects.count() == 14
    queue_filling.take_up_new()
    assert ReviewItem.objects.count() == 21


def test_answers_that_a_verdict_gives_back_are_taken_up(study: Study, now: datetime) -> None:
    person = rate(study, now, attentive=False)
    rule = answers(study).filter(trial__rater=person.session.rater_id)[0].trial.batch.verdicts.get()
    assert ReviewItem.objects.count() == 14
    verdicts.revoke(verdict_id=rule.pk, by=None, now=now)
    queue_filling.take_up_new()
    assert ReviewItem.objects.count() == 21


def test_a_queue_that_is_switched_on_is_filled_by_a_worker_and_then_left_alone(now: datetime) -> None:
    study = rated_study(now, review__mode="off")
    fill_queues()
    assert not QueueFill.objects.exists()
    change(study, mode="all")
    fill_queues()
    assert ReviewItem.objects.count() == 7
    assert queue_filling.queue_due(now=clock.now()) == 0
    assert not QueueFill.objects.exclude(state=jobs.DONE).exists()
    change(study, simulated=True)
    assert queue_filling.queue_due(now=clock.now()) == 1


def test_the_sweep_asks_the_same_few_statements_however_much_was_answered(
    study: Study, now: datetime, django_assert_max_num_queries: Any
) -> None:
    fill_queues()
    with django_assert_max_num_queries(6):
        queue_filling.take_up_new()
        queue_filling.queue_due(now=clock.now())


def test_an_empty_queue_says_that_answers_are_being_added_until_a_worker_has_looked(
    study: Study, nudged: list[int]
) -> None:
    empty_queues(study)
    browser = logged_in(expert("eva", study))
    assert current(browser, study) == current(browser, study) == ([], True)
    assert nudged == [QueueFill.objects.get().pk]
    fill_queues()
    items, is_filling = current(browser, study)
    assert (len(items), is_filling) == (2, False)
    assert len(nudged) == 1


def test_a_page_that_finds_nothing_asks_a_worker_once_when_the_last_look_is_some_time_ago(
    study: Study, nudged: list[int], now: datetime
) -> None:
    fill_queues()
    empty_queues(study)
    browser = logged_in(expert("eva", study))
    assert current(browser, study) == ([], False)
    row = QueueFill.objects.get()
    QueueFill.objects.update(ended_at=clock.now() - queue_filling.REST - timedelta(seconds=1))
    assert current(browser, study) == current(browser, study) == ([], True)
    assert nudged == [row.pk]
    tasks.fill_queues(row.pk)
    assert ReviewItem.objects.count() == 14
    empty_queues(study)
    tasks.fill_queues(row.pk)
    assert ReviewItem.objects.count() == 0


def test_a_page_asks_for_a_look_under_the_settings_that_hold_now(study: Study, nudged: list[int]) -> None:
    fill_queues()
    empty_queues(study)
    change(study, simulated=True)
    assert current(logged_in(expert("eva", study)), study) == ([], True)
    assert nudged == [QueueFill.objects.get(state=jobs.QUEUED).pk]


@pytest.mark.parametrize("state", [jobs.QUEUED, jobs.RUNNING])
def test_without_a_worker_a_page_says_since_when_answers_wait(study: Study, nudged: list[int], state: str) -> None:
    empty_queues(study)
    browser = logged_in(expert("eva", study))
    url = reverse("experts:review_current", args=[study.slug])
    assert browser.get(url).json()["waits_since"] == ""
    for age, is_told in ((answer_kinds.PATIENCE - timedelta(seconds=30), False), (answer_kinds.PATIENCE * 2, True)):
        since = clock.now() - age
        # Nobody has taken it; or a worker that took it has died.
        QueueFill.objects.update(state=state, queued_at=since, lease_until=since if state == jobs.RUNNING else None)
        told = browser.get(url).json()
        assert (told["is_filling"], told["waits_since"]) == (True, since.isoformat() if is_told else "")
    fill_queues()
    tasks.fill_queues(QueueFill.objects.get().pk)
    assert browser.get(url).json()["waits_since"] == ""


def test_a_change_of_the_settings_during_a_look_asks_for_another(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    queue_filling.queue_due(now=clock.now())
    row = QueueFill.objects.get()
    with monkeypatch.context() as patched:
        patched.setattr(CODING, "fill", lambda **told: change(study, simulated=True) or 0)
        assert queue_filling.fill(pk=row.pk, clock=clock.now)
    assert queue_filling.queue_due(now=clock.now()) == 1


def test_a_worker_that_lost_its_row_stops(study: Study) -> None:
    empty_queues(study)
    assert REVIEW.fill(study=study, goes_on=lambda: False) == 0
    assert CODING.fill(study=study, goes_on=lambda: False) == 0
    assert Answer.objects.filter(review_item=None).exists()
    assert not ReviewItem.objects.exists()


def current(browser: Client, study: Study) -> tuple[list[Any], bool]:
    """Return what this expert's page is told."""
    told = browser.get(reverse("experts:review_current", args=[study.slug])).json()
    return told["items"], told["is_filling"]

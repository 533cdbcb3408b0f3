"""Requests side by side: how many, in which order they are stored, and what a stop, a fault or a pause leaves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from core import jobs
from demo.stand_in import StandIn
from studies.corpus.models import CorpusText
from studies.drafting import kinds, requesting
from studies.drafting.endpoint import Completion, Endpoint, EndpointTrouble
from studies.drafting.models import Draft, DraftQuestion, DraftRun
from studies.drafting.working import SIDE_BY_SIDE
from tests.studies.drafting.material import CHINESE, PASSAGE, ask, ask_texts, passages
from tests.world import make_study

pytestmark = pytest.mark.django_db
Work = Callable[..., DraftRun]


class Crowded(Endpoint):
    """An endpoint that answers once so many requests are under way as may be, the last one first."""

    def __init__(self, settings: Any, *, expected: int, fails_at: int = 0) -> None:
        super().__init__(settings.DRAFT_URL, settings.DRAFT_KEY)
        self.expected, self.fails_at, self.asked, self.most = expected, fails_at, 0, 0
        self.under_way: list[int] = []
        self.changed = threading.Condition()

    def complete(self, **request: Any) -> Completion:
        with self.changed:
            self.asked += 1
            number = self.asked
            self.under_way.append(number)
            self.most = max(self.most, len(self.under_way))
            self.changed.notify_all()
            # A short wait: a run ends with fewer requests under way.
            self.changed.wait_for(lambda: self.most >= self.expected and number == self.under_way[-1], timeout=0.2)
        try:
            if number == self.fails_at:
                raise EndpointTrouble("Out of order.")
            return super().complete(**request)
        finally:
            with self.changed:
                self.under_way.remove(number)
                self.changed.notify_all()


def work(run: DraftRun, endpoint: Endpoint, clock: Callable[[], datetime], **options: Any) -> DraftRun:
    kinds.work(pk=run.pk, clock=clock, endpoint=endpoint, **options)
    endpoint.close()
    run.refresh_from_db()
    return run


def units(run: DraftRun, step: str) -> list[str]:
    return list(Draft.objects.filter(run=run, step=step).order_by("pk").values_list("unit", flat=True))


def test_four_requests_are_under_way_and_their_answers_are_stored_in_the_order_of_the_units(
    stand_in: StandIn, now: datetime, settings: Any
) -> None:
    endpoint = Crowded(settings, expected=SIDE_BY_SIDE)
    run = work(ask_texts(make_study(now=now, launch=False), now, number=10), endpoint, lambda: now)
    assert (run.state, run.error, run.done, endpoint.most) == (jobs.DONE, "", 10, SIDE_BY_SIDE)
    names = units(run, "colloquial")
    assert names[:10] == [f"colloquial/1.{place}" for place in range(1, 11)]
    assert run.calls == len(stand_in.requests) == Draft.objects.count()
    bodies = [draft.text.body for draft in Draft.objects.exclude(text=None).order_by("pk") if draft.text]
    assert bodies == list(CorpusText.objects.order_by("name").values_list("body", flat=True))


def test_passages_and_tries_are_asked_side_by_side_too(stand_in: StandIn, now: datetime, settings: Any) -> None:
    study = passages(now, PASSAGE, CHINESE, PASSAGE.replace("Monday", "Tuesday"))
    endpoint = Crowded(settings, expected=3)
    run = work(ask(study, now, tries=0), endpoint, lambda: now)
    assert (run.done, endpoint.most) == (run.total, 3)
    assert units(run, "questions") == [f"questions/{text.pk}" for text in study.texts.order_by("pk")]
    other = passages(now)
    endpoint = Crowded(settings, expected=SIDE_BY_SIDE)
    run = work(ask(other, now, tries=4), endpoint, lambda: now)
    rows = DraftQuestion.objects.filter(run=run).order_by("pk")
    assert units(run, "blind") == [f"blind/{row.pk}.{number}" for row in rows for number in range(1, 5)]
    assert endpoint.most == SIDE_BY_SIDE


def test_no_text_is_asked_for_that_is_not_needed(stand_in: StandIn, draft: Work, now: datetime) -> None:
    run = draft(ask_texts(make_study(now=now, launch=False), now, number=9, budget_calls=1))
    # The model wrote more than are wanted.
    DraftRun.objects.filter(pk=run.pk).update(plan={**run.plan, "number": 2})
    requesting.resume(run=run, now=now)
    DraftRun.objects.filter(pk=run.pk).update(budget_calls=1000)
    assert draft(run).ending == ""
    assert len(units(run, "colloquial")) == CorpusText.objects.count() == 2


def test_at_most_four_requests_cross_the_budget_and_all_are_stored(
    stand_in: StandIn, draft: Work, now: datetime
) -> None:
    study = make_study(now=now, launch=False)
    run = draft(ask_texts(study, now, number=9, budget_calls=1))
    DraftRun.objects.filter(pk=run.pk).update(budget_tokens=run.tokens + 1, budget_calls=1000)
    requesting.resume(run=run, now=now)
    DraftRun.objects.filter(pk=run.pk).update(budget_tokens=run.tokens + 1, budget_calls=1000)
    run = draft(run)
    assert (run.ending, len(stand_in.requests)) == ("budget", 1 + SIDE_BY_SIDE)
    assert CorpusText.objects.count() == run.done == SIDE_BY_SIDE


@pytest.mark.parametrize("how", ["stop", "pause"])
def test_what_is_under_way_when_a_run_stops_or_pauses_is_stored(
    stand_in: StandIn, draft: Work, now: datetime, how: str
) -> None:
    run = ask_texts(make_study(now=now, launch=False), now, number=10)

    def clock() -> datetime:
        if CorpusText.objects.count() < 2:
            return now
        if how == "stop":
            DraftRun.objects.filter(pk=run.pk).update(stop_asked_at=now)
        return now + timedelta(seconds=61 if how == "pause" else 0)

    run = draft(run, clock=clock)
    assert (run.state, run.ending) == ((jobs.DONE, "stopped") if how == "stop" else (jobs.QUEUED, ""))
    assert Draft.objects.count() == len(stand_in.requests) == run.calls
    assert 2 < CorpusText.objects.count() <= 2 + SIDE_BY_SIDE
    if how == "stop":
        requesting.resume(run=run, now=now)
    run = draft(run)
    assert (run.state, run.done, CorpusText.objects.count()) == (jobs.DONE, 10, 10)
    assert Draft.objects.count() == len(stand_in.requests), "nothing is asked twice"


@pytest.mark.parametrize("kind", ["texts", "questions"])
def test_a_request_that_fails_takes_no_other_along_and_is_asked_again(
    stand_in: StandIn, draft: Work, now: datetime, settings: Any, kind: str
) -> None:
    study = passages(now)
    run = ask(study, now, number=2, tries=4) if kind == "questions" else ask_texts(study, now, number=8)
    run = work(run, Crowded(settings, expected=SIDE_BY_SIDE, fails_at=3), lambda: now)
    assert (run.state, run.error) == (jobs.FAILED, "Out of order.")
    step = "blind" if kind == "questions" else "colloquial"
    # Threads start in any order, so any of the four may be the one that failed.
    first = [name.rpartition(".")[2] for name in units(run, step)][:3]
    assert first in (["1", "2", "3"], ["1", "2", "4"], ["1", "3", "4"], ["2", "3", "4"])
    requesting.resume(run=run, now=now)
    run = draft(run)
    assert (run.state, run.error, run.ending) == (jobs.DONE, "", "")
    assert sorted(set(units(run, step))) == sorted(units(run, step))
    if kind == "questions":
        assert {row.tries for row in DraftQuestion.objects.all()} == {4}
        assert len(units(run, step)) == 4 * DraftQuestion.objects.count()
    else:
        assert CorpusText.objects.count() == 8


def test_everybody_waits_while_the_endpoint_has_too_many_requests() -> None:
    """The second request starts while the first one waits, as late as the endpoint said."""
    waits: list[tuple[str, float]] = []
    seconds = [0.0]
    replies = iter([httpx.Response(429, headers={"retry-after": "7"}), *(httpx.Response(200, json=GOOD),) * 2])
    sent: list[float] = []

    def answer(_request: httpx.Request) -> httpx.Response:
        sent.append(seconds[0])
        return next(replies)

    def sleep(pause: float) -> None:
        waits.append((threading.current_thread().name, pause))
        if len(waits) == 1:
            other = threading.Thread(target=complete, name="other")
            other.start()
            other.join()
        else:
            seconds[0] += pause

    def complete() -> Completion:
        return endpoint.complete(model="m", messages=[], parameters={})

    endpoint = Endpoint(
        "https://llm.example.org/v1",
        "",
        sleep=sleep,
        seconds_now=lambda: seconds[0],
        transport=httpx.MockTransport(answer),
    )
    complete()
    assert [pause for _name, pause in waits] == [7.0, 7.0]
    assert waits[1][0] == "other"
    assert sent == [0.0, 7.0, 7.0]


GOOD: Mapping[str, Any] = {"choices": [{"message": {"content": "hello"}}]}

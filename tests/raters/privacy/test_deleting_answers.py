"""Somebody asks that their answers be deleted: unusable at once, gone a day later, and undone until then."""

from __future__ import annotations

from datetime import datetime, time, timedelta

import pytest
from django.db.models import Sum

from analysis.exports.models import Export
from analysis.runs import erasing
from core import jobs
from core.errors import Conflict
from raters.models import (
    Answer,
    Batch,
    Erasure,
    Payment,
    PaymentList,
    PlatformStudy,
    Rating,
    Response,
    Session,
    Submission,
    Trial,
    TrialClip,
    Verdict,
)
from raters.payments import pay
from raters.people.models import DELETION
from raters.privacy import erasing as erasure_work
from raters.privacy import requests
from raters.rating import batches, monitor, ratings, rights, trust, verdicts
from raters.sessions import questionnaire
from studies.models import Pool, Study
from tests.raters.privacy.searching import texts
from tests.world import REASON, Person, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]

DAY = timedelta(hours=24)


@pytest.fixture
def study(now: datetime) -> Study:
    return make_study(now=now, texts=24)


@pytest.fixture
def person(study: Study, now: datetime) -> Person:
    """Return somebody in the middle of their second batch."""
    person = Person(study, now).start()
    person.rate_batch()
    for pk in person.filled:
        batches.validate(pk=pk, now=person.now)
    person.rate()
    return person


def taken(study: Study) -> int:
    return int(Pool.objects.filter(cell__study=study).aggregate(n=Sum("taken"))["n"])


def ask(person: Person) -> Erasure:
    return requests.delete_answers(session_id=person.session.pk, now=person.now)


def carry_out(erasure: Erasure, now: datetime) -> bool:
    return erasure_work.carry_out(pk=erasure.pk, clock=lambda: now)


def test_the_answers_are_unusable_and_their_places_free_at_once(study: Study, person: Person) -> None:
    assert taken(study) > 7
    erasure = ask(person)
    person.session.refresh_from_db()
    assert (person.session.step, person.session.outcome) == ("ended", "withdrawn")
    assert taken(study) == 0
    assert not Trial.objects.filter(usable=True).exists()
    assert Answer.objects.count() == 11
    assert erasure.queued_at == person.now + DAY
    assert ask(person) == erasure
    assert rights.erasure(person.session) == erasure


def test_within_a_day_the_answers_can_be_had_back(study: Study, person: Person) -> None:
    before = Trial.objects.filter(usable=True).count()
    erasure = ask(person)
    later = person.now + DAY - timedelta(seconds=1)
    assert not carry_out(erasure, later)
    assert requests.undo(erasure_id=erasure.pk, now=later).state == "undone"
    assert Trial.objects.filter(usable=True).count() == before == 10
    assert taken(study) == 7
    assert not carry_out(erasure, later + DAY)
    assert Answer.objects.count() == 11
    assert rights.erasure(person.session) is None
    again = ask(person)
    assert again.pk != erasure.pk
    assert taken(study) == 0


def test_after_a_day_nothing_that_was_written_or_done_is_left(study: Study, person: Person) -> None:
    erasure = ask(person)
    due = person.now + DAY
    flow = monitor.flow(study.pk, False)
    counted = monitor.batches(study.pk, False)
    assert ("raters.erase", erasure.pk) in jobs.due(due + timedelta(seconds=4))
    assert carry_out(erasure, due)
    assert not [table for table, text in texts() if REASON in text]
    assert not Answer.objects.exists()
    assert not Rating.objects.exists()
    assert not Trial.objects.filter(served_at__isnull=False).exists()
    assert not TrialClip.objects.filter(play_began_at__isnull=False).exists()
    assert set(Batch.objects.values_list("state", flat=True)) == {"done", "closed"}
    assert taken(study) == 0
    assert monitor.flow(study.pk, False) == flow
    assert monitor.batches(study.pk, False) == counted
    erasure.refresh_from_db()
    assert (erasure.state, erasure.erased_at) == ("done", due)
    assert erasure.counts["answer"] == 11
    with pytest.raises(Conflict, match="can’t be cancelled"):
        requests.undo(erasure_id=erasure.pk, now=due)
    assert ask(person) == erasure


def test_a_worker_that_died_between_rows_and_files_is_followed_by_another(person: Person) -> None:
    erasure = ask(person)
    due = person.now + DAY
    Erasure.objects.filter(pk=erasure.pk).update(state="running", lease_until=due, erased_at=due, tries=1)
    assert carry_out(erasure, due + timedelta(minutes=3))
    erasure.refresh_from_db()
    assert erasure.state == "done"


def test_who_completed_keeps_outcome_and_pay(study: Study, now: datetime) -> None:
    person = Person(study, now).start()
    Session.objects.filter(pk=person.session.pk).update(step="ended", outcome="complete", payable=True)
    carry_out(ask(person), person.now + DAY)
    person.session.refresh_from_db()
    assert (person.session.outcome, person.session.payable) == ("complete", True)
    assert person.session.ext_session == f"s-{person.name}"


def test_pay_by_the_clip_stays_and_when_each_was_answered_does_not(study: Study, person: Person) -> None:
    before = pay.work(study.pk)[person.session.pk]
    assert before.clips == 11
    carry_out(ask(person), person.now + DAY)
    after = pay.work(study.pk)[person.session.pk]
    assert (after.clips, after.valid_batches) == (before.clips, before.valid_batches)
    moments = Trial.objects.filter(answered_at__isnull=False).values_list("answered_at", flat=True)
    assert {moment.time() for moment in moments if moment} == {time(0)}
    assert not Trial.objects.filter(usable=True).exists()
    assert trust.sheets(study=study.pk, rater=person.session.rater_id) == []


def test_why_somebody_was_rejected_keeps_the_checks_and_loses_the_answers(study: Study, person: Person) -> None:
    platform = PlatformStudy.objects.create(study=study, ext_study="ext", added_at=person.now)
    submission = Submission.objects.create(
        platform=platform, ext_session="s", session=person.session, seen_at=person.now
    )
    listed = PaymentList.objects.create(platform=platform, kind="reject", made_at=person.now)
    checks = [{"asked": "Choose 3.", "answered": "2, since I was tired", "at": "2026-11-20 10:31"}]
    payment = Payment.objects.create(list=listed, submission=submission, grounds={"clips": 4, "checks": checks})
    carry_out(ask(person), person.now + DAY)
    payment.refresh_from_db()
    assert payment.grounds == {"clips": 4, "checks": [{"asked": "Choose 3.", "answered": "", "at": ""}]}


def test_words_of_somebody_who_asked_are_used_no_more_from_that_moment_on(study: Study, person: Person) -> None:
    Response.objects.create(
        session=person.session, version=person.session.version, key="gender", code="woman", at=person.now
    )
    assert questionnaire.counts(study.pk, False) == {"gender": {"woman": 1}}
    assert len(list(ratings.browser_reports(study.pk, False))) == 11
    erasure = ask(person)
    assert questionnaire.counts(study.pk, False) == {}
    assert questionnaire.balance(study.pk, False) == []
    assert not questionnaire.has_responses(study.pk)
    assert list(questionnaire.table(study.pk, False)) == []
    assert list(ratings.browser_reports(study.pk, False)) == []
    requests.undo(erasure_id=erasure.pk, now=person.now)
    assert questionnaire.counts(study.pk, False) == {"gender": {"woman": 1}}


def test_who_read_the_old_rows_until_the_commit_begins_again(study: Study, person: Person) -> None:
    row = Export.objects.create(study=study, created_at=person.now, state="running", tries=1, lease_until=person.now)
    erasing.forget_files(study.pk)
    row.refresh_from_db()
    assert (row.state, row.lease_until) == ("queued", None)
    assert not jobs.finish(row, person.now)


def test_other_peoples_answers_stay(study: Study, person: Person, now: datetime) -> None:
    other = Person(study, now).start()
    other.rate("machine")
    carry_out(ask(person), person.now + DAY)
    assert [answer.trial.session_id for answer in Answer.objects.all()] == [other.session.pk]


def test_a_clip_that_was_heard_is_not_heard_again(study: Study, person: Person) -> None:
    met = set(Trial.objects.values_list("item", flat=True))
    carry_out(ask(person), person.now + DAY)
    assert set(Trial.objects.filter(rater=person.session.rater_id).values_list("item", flat=True)) == met


def test_the_verdict_on_it_is_taken_back_by_undoing_alone(person: Person) -> None:
    ask(person)
    verdict = Verdict.objects.get(rule=DELETION)
    with pytest.raises(Conflict, match="asked for deletion"):
        verdicts.revoke(verdict_id=verdict.pk, by=None, now=person.now)

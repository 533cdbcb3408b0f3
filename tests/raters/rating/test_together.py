"""Two things at once on PostgreSQL, in the order that hurts; SQLite lets only one write at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.test.utils import CaptureQueriesContext

from core.errors import Conflict, Gone
from raters.models import Answer, Batch, Rating, Session, Trial
from raters.rating import batches, settling, skipping, trials
from raters.rating.models import CLOSED, OPEN
from raters.rating.progress import CurrentTrial
from raters.sessions import lifecycle
from raters.sources.base import RaterArrival
from studies.launch import states
from studies.models import Pool
from studies.pool import claiming
from tests.servers import until
from tests.world import Person, make_study

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
PATIENCE = "1500ms"


def meanwhile(act: Callable[[], Any]) -> list[Any]:
    """Do something on a connection of its own, which waits for locks only shortly; return what came of it."""
    found: list[Any] = []

    def run() -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute(f"SET lock_timeout = '{PATIENCE}'")
            found.append(act())
        except Exception as error:
            found.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(20)
    return found


def test_a_reload_while_the_last_answer_is_on_its_way_shows_the_right_page(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Person(make_study(now=now, texts=40), now).start()
    for _ in range(9):
        person.rate()
    person.fetch()
    person.play()
    person.wait(5)
    last, real, seen = person.submission(), batches.renew_lease, []

    def store() -> Any:
        return trials.submit(session_id=person.session.pk, sent=last, now=person.now, rng=Random(1))

    def keep(**given: Any) -> None:
        if threading.current_thread() is threading.main_thread() and not seen:
            seen.extend(meanwhile(store))
        real(**given)

    monkeypatch.setattr(batches, "renew_lease", keep)
    page = trials.enter(session_id=person.session.pk, now=person.now, rng=Random(2))
    # The answer waited for the reload's lock and gave up; the page shows the same clip, and its outbox sends again.
    assert isinstance(page, CurrentTrial)
    assert page.trial.token == last.token
    monkeypatch.undo()
    trials.submit(
        session_id=person.session.pk,
        sent=trials.SubmittedAnswer(last.token, page.tab, last.key, last.answer, {}),
        now=person.now,
        rng=Random(3),
    )
    assert Answer.objects.count() == 10


def test_answers_do_not_wait_for_changes_of_the_study(now: datetime) -> None:
    study = make_study(now=now, texts=40)
    person = Person(study, now).start()
    person.fetch()
    person.play()
    person.wait(5)
    with transaction.atomic():
        states.lock(study)
        [stored] = meanwhile(lambda: person.send(person.submission()))
    assert stored is None
    assert Answer.objects.count() == 1


@pytest.mark.parametrize("seed", range(4))
def test_a_person_with_two_sessions_at_once_still_meets_no_clip_and_no_text_twice(
    now: datetime, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make_study(now=now, systems=tuple("abcdefgh"), texts=15, flawed=30, humans=60)
    arrival = RaterArrival(source="prolific", person="same", study="ext", session="s0")
    first = lifecycle.arrive(study_id=study.pk, arrival=arrival, now=now)
    # Two links at the very same moment: later ones lead to the session that there is.
    given = {"study": study, "version_id": first.version_id, "source": "prolific", "ext_study": "ext"}
    both = [first, Session.objects.create(**given, rater=first.rater, ext_session="s1", arrived_at=now)]
    for session in both:
        lifecycle.consent(session_id=session.pk, agreed=True, now=now)
        lifecycle.begin(session_id=session.pk, now=now)
    begin, real = threading.Barrier(2), batches.open_next

    def open_next(**given: Any) -> Any:
        begin.wait(5)
        return real(**given)

    monkeypatch.setattr(batches, "open_next", open_next)
    ended: list[Any] = []

    def enter(number: int) -> None:
        try:
            ended.append(trials.enter(session_id=both[number].pk, now=now, rng=Random(10 * seed + number)))
        finally:
            connection.close()

    threads = [threading.Thread(target=enter, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    texts = list(Trial.objects.filter(pool__isnull=False).values_list("text_id", flat=True))
    assert len(ended) == 2
    assert len(texts) == len(set(texts)) == 14


def test_a_claim_passes_over_places_that_are_being_taken_or_were_taken_since_it_searched(now: datetime) -> None:
    study = make_study(now=now, texts=40)
    found = claiming.candidates(study_id=study.pk, simulated=False, roles=["test"], limit=1)
    held, changed, *free = found[:4]
    Pool.objects.filter(pk=changed.pool).update(taken=1)
    with transaction.atomic():
        Pool.objects.select_for_update().get(pk=held.pool)
        [taken] = meanwhile(lambda: claiming._take([held, changed, *free], "open", Random(1)))
    assert taken == free
    assert {*Pool.objects.filter(taken=1).values_list("pk", flat=True)} == {place.pool for place in (changed, *free)}
    assert Pool.objects.get(pk=held.pool).taken == 0


def test_who_needs_a_place_that_is_being_taken_waits_for_it_and_holds_none_meanwhile(now: datetime) -> None:
    study = make_study(now=now, systems=("a",), texts=7)
    person = Person(study, now)
    places = Pool.objects.filter(cell__study=study, cell__role="test").order_by("pk")
    held = places[3]
    entering = threading.Thread(target=lambda: (person.start(), connection.close()))
    with transaction.atomic():
        Pool.objects.select_for_update().get(pk=held.pk)
        entering.start()
        until(somebody_waits, "nobody waits for the place")
        # Nobody has any of them: all can be locked at once.
        others = places.exclude(pk=held.pk).select_for_update(nowait=True)
        assert [place.taken for place in others] == [0] * 6
    entering.join(20)
    assert [place.taken for place in places.all()] == [1] * 7
    assert Batch.objects.get(session=person.session).size == 10


@pytest.fixture
def listener(now: datetime) -> Person:
    person = Person(make_study(now=now, texts=40), now).start()
    person.fetch()
    person.play()
    person.wait(5)
    return person


def somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0])


def before_it_is_written(monkeypatch: pytest.MonkeyPatch, act: Callable[[], Any]) -> None:
    """Let something happen after an answer's batch was read, and before the answer is written."""
    real = trials.write_together
    acts = [act]

    def write(*statements: Any) -> None:
        while acts:
            acts.pop()()
        real(*statements)

    monkeypatch.setattr(trials, "write_together", write)


def test_an_answer_is_one_query_and_one_statement(listener: Person) -> None:
    listener.rate()
    listener.fetch()
    listener.play()
    listener.wait(5)
    with CaptureQueriesContext(connection) as sent:
        listener.send(listener.submission())
    assert [query["sql"].split()[0] for query in sent] == ["SELECT", "WITH"]


def test_an_answer_whose_batch_expires_meanwhile_is_late(listener: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def expire() -> None:
        Batch.objects.update(lease_until=listener.now)
        assert batches.expire_idle(now=listener.now + timedelta(seconds=1)) == 1

    before_it_is_written(monkeypatch, expire)
    listener.send(listener.submission())
    assert Answer.objects.count() == Rating.objects.count() == 1
    assert Trial.objects.get(answer__isnull=False).late
    assert Batch.objects.get().state == OPEN


def test_an_answer_waits_for_the_end_of_its_batch_and_is_refused(listener: Person) -> None:
    sent, refused = listener.submission(), []
    with transaction.atomic():
        Batch.objects.update(state=CLOSED)
        thread = threading.Thread(target=lambda: refused.extend(meanwhile(lambda: listener.send(sent))))
        thread.start()
        until(somebody_waits, "the answer doesn't wait for its batch")
    thread.join(20)
    assert [type(each) for each in refused] == [Gone]
    assert not Answer.objects.exists()
    assert not Rating.objects.exists()
    assert not Trial.objects.filter(answered_at__isnull=False).exists()


def test_settling_waits_for_whoever_writes_the_trials_of_a_batch(listener: Person) -> None:
    listener.rate()
    with transaction.atomic():
        batch = Batch.objects.select_for_update(no_key=True).get()
        [found] = meanwhile(lambda: settling.settle(batch_ids=[batch.pk]))
    assert isinstance(found, OperationalError)
    assert meanwhile(lambda: settling.settle(batch_ids=[batch.pk])) == [set()]


def test_an_answer_to_a_clip_that_is_skipped_meanwhile_is_refused(
    listener: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent, trial = listener.submission(), listener.current

    def skip() -> None:
        where = {"session_id": listener.session.pk, "key": trial.trial.clips[0].key, "tab": trial.tab}
        skipping.skip(**where, now=listener.now, rng=Random(1))

    before_it_is_written(monkeypatch, skip)
    with pytest.raises(Conflict) as refused:
        listener.send(sent)
    assert refused.value.code == "already_answered"
    assert not Answer.objects.exists()
    assert not Rating.objects.exists()

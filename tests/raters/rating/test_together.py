"""Two things at once on PostgreSQL, in the order that hurts; SQLite lets only one write at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime
from random import Random
from typing import Any

import pytest
from django.db import connection, transaction

from raters.models import Answer, Session, Trial
from raters.rating import batches, trials
from raters.rating.progress import CurrentTrial
from raters.sessions import lifecycle
from raters.sources.base import RaterArrival
from studies.launch import states
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
        with transaction.atomic():
            return trials._store(session_id=person.session.pk, sent=last, now=person.now)

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

"""The platforms' ids of people: encrypted, found by hash, under keys that can change, and deleted after their time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from core import sealing
from core.errors import Conflict
from raters.models import Answer, Identity, IdentityTerm, Session
from raters.payments import reconciling
from raters.people import queries as people_queries
from raters.privacy import erasing, identities, requests, retention
from raters.rating import rights
from raters.sessions import lifecycle
from raters.sources.base import RaterArrival
from studies.launch import states
from studies.models import Study
from tests.raters.privacy.searching import texts
from tests.world import Person, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
DAY = timedelta(days=1)


@pytest.fixture
def person(now: datetime) -> Person:
    return Person(make_study(now=now), now, name="pid-of-somebody").start()


def test_the_id_stands_nowhere_in_plain_and_is_read_where_it_is_needed(person: Person) -> None:
    person.session.ext_session = "s-1"
    person.session.save()
    assert not [table for table, text in texts() if "pid-of-somebody" in text]
    assert people_queries.person(person.session) == "pid-of-somebody"
    assert people_queries.ids([person.session.pk])[person.session.pk].person == "pid-of-somebody"
    assert [row["person"] for row in reconciling.table(person.study.pk)] == ["pid-of-somebody"]
    assert rights.rater_with_id(source="prolific", person="pid-of-somebody") == person.session.rater_id
    assert rights.rater_with_id(source="mturk", person="pid-of-somebody") is None


def test_nobody_is_stored_twice(person: Person) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Identity.objects.store(rater=person.session.rater, source="prolific", person="pid-of-somebody")


def test_the_same_name_is_encrypted_differently_each_time_and_hashed_the_same() -> None:
    assert sealing.seal("a") != sealing.seal("a")
    assert sealing.digest("person", "prolific", "a") == sealing.digest("person", "prolific", "a")
    assert sealing.digest("person", "prolific", "a") != sealing.digest("session", "prolific", "a")
    assert sealing.digest("ab", "c") != sealing.digest("a", "bc")


def test_another_key_is_taken_without_losing_anybody(person: Person, now: datetime, settings: Any) -> None:
    old = settings.IDENTITY_KEYS
    settings.IDENTITY_KEYS = ["a new key that is long enough", *old]
    again = Person(person.study, now, name="pid-of-somebody")
    assert again.session == person.session
    assert Identity.objects.count() == 1
    call_command("reseal_identities")
    settings.IDENTITY_KEYS = ["a new key that is long enough"]
    assert people_queries.person(person.session) == "pid-of-somebody"
    assert identities.are_readable()
    settings.IDENTITY_KEYS = old
    assert not identities.are_readable()
    with pytest.raises(CommandError, match="EARSHOT_IDENTITY_KEYS"):
        call_command("reseal_identities")


def test_while_erased_names_are_known_by_an_old_key_it_is_to_be_kept(
    person: Person, now: datetime, settings: Any, capsys: Any
) -> None:
    call_command("reseal_identities")
    assert "can be removed" in capsys.readouterr().out
    erasure = requests.erase_person(rater_id=person.session.rater_id, now=now, by=None)
    erasing.carry_out(pk=erasure.pk, clock=lambda: now)
    settings.IDENTITY_KEYS = ["a new key that is long enough", *settings.IDENTITY_KEYS]
    call_command("reseal_identities")
    said = capsys.readouterr()
    assert "can be removed" not in said.out
    assert "Keep the older keys" in said.err
    with pytest.raises(Conflict):
        Person(person.study, now, name="pid-of-somebody")


def test_ids_that_stood_in_plain_are_encrypted_by_the_migration(now: datetime) -> None:
    from importlib import import_module
    from types import SimpleNamespace

    person = Person(make_study(now=now), now, name="pid-of-somebody")
    migration = import_module("raters.migrations.0010_rights")

    class Old:
        """A row as it was before."""

        def __init__(self, row: Identity) -> None:
            self.pk, self.source, self.person, self.digest, self.sealed = row.pk, row.source, row.person, "", ""

    rows = [Old(row) for row in Identity.objects.all()]
    written: list[Old] = []
    stored = SimpleNamespace(
        order_by=lambda _: SimpleNamespace(iterator=lambda _: iter(rows)),
        bulk_update=lambda some, _: written.extend(some),
    )
    migration.seal(SimpleNamespace(get_model=lambda *_: SimpleNamespace(objects=stored)), None)
    known = Identity.objects.get(rater=person.session.rater)
    assert [(row.digest, sealing.opened(row.sealed)) for row in written] == [(known.digest, "pid-of-somebody")]


def close(study: Study, now: datetime) -> None:
    states.close(study=study)
    retention.delete_due_ids(now=now)


def test_a_closed_studys_people_are_forgotten_after_its_days_and_their_answers_stay(person: Person) -> None:
    person.rate()
    close(person.study, person.now)
    assert retention.delete_due_ids(now=person.now + 179 * DAY) == 0
    assert rights.ids_deleted_at(person.study.pk) is None
    assert Identity.objects.count() == 1
    over = person.now + 180 * DAY
    assert retention.delete_due_ids(now=over) == 1
    assert not Identity.objects.exists()
    assert rights.ids_deleted_at(person.study.pk) == over
    assert Answer.objects.count() == 1
    person.session.refresh_from_db()
    assert person.session.ext_session.startswith("erased-")
    assert [row["person"] for row in reconciling.table(person.study.pk)] == [None]
    assert retention.delete_due_ids(now=over + DAY) == 0


def test_who_is_in_another_study_stays_known_until_that_one_is_due(person: Person, now: datetime) -> None:
    other = make_study(now=now)
    arrival = RaterArrival("prolific", "pid-of-somebody", "ext-2", "s-2")
    assert lifecycle.arrive(study_id=other.pk, arrival=arrival, now=now).rater == person.session.rater
    close(person.study, now)
    assert retention.delete_due_ids(now=now + 180 * DAY) == 1
    assert Identity.objects.count() == 1
    close(other, now + 200 * DAY)
    assert retention.delete_due_ids(now=now + 380 * DAY) == 1
    assert not Identity.objects.exists()
    assert not Session.objects.exclude(ext_session__startswith="erased-").exists()


def test_a_study_that_is_opened_again_begins_anew(person: Person, now: datetime) -> None:
    close(person.study, now)
    states.reopen(study=Study.objects.get(pk=person.study.pk))
    assert retention.delete_due_ids(now=now + 180 * DAY) == 0
    assert not IdentityTerm.objects.exists()
    assert Identity.objects.exists()


def test_looking_costs_three_statements_when_there_is_nothing_to_do(
    person: Person, now: datetime, django_assert_num_queries: Any
) -> None:
    retention.delete_due_ids(now=now)
    with django_assert_num_queries(3):
        retention.delete_due_ids(now=now)
    assert connection.vendor in {"sqlite", "postgresql"}

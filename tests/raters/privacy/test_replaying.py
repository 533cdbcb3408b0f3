"""A restored backup forgets again whom it should not know any more."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import connection

from core.operations import backups
from raters.models import Answer, Erasure, Identity, Session, Trial
from raters.privacy import erasing, ledger, requests
from tests.raters.privacy.searching import texts
from tests.world import REASON, Person, make_study

pytestmark = pytest.mark.django_db(transaction=True)
DAY = timedelta(hours=24)


def emptied() -> None:
    """Empty every table, as on a server that was just made."""
    with connection.constraint_checks_disabled():
        for model in reversed(backups.tables()):
            if model._meta.app_label not in {"auth", "contenttypes"}:
                model._base_manager.all()._raw_delete(using="default")


def backup(path: Path, now: datetime) -> None:
    backups.write(path, version="test", now=now, say=lambda text: None)


def stored_without_list() -> None:
    for name in list(backups.stored()):
        default_storage.delete(name)


@pytest.fixture
def people(files: Any, now: datetime) -> list[Person]:
    """Three people with an answer each."""
    study = make_study(now=now)
    found = [Person(study, now).start() for _ in range(3)]
    for person in found:
        person.rate()
    return found


def test_who_was_erased_after_the_backup_is_erased_again(
    people: list[Person], now: datetime, tmp_path: Path, capsys: Any
) -> None:
    erased, withdrew, stays = people
    backup(tmp_path / "old.tar", now)
    later = now + DAY
    person = requests.erase_person(rater_id=erased.session.rater_id, now=later, by=None)
    erasing.carry_out(pk=person.pk, clock=lambda: later)
    requests.delete_answers(session_id=withdrew.session.pk, now=later)
    undone = requests.delete_answers(session_id=stays.session.pk, now=later)
    requests.undo(erasure_id=undone.pk, now=later)
    backup(tmp_path / "new.tar", later)
    stored_without_list()
    emptied()
    call_command("restore", tmp_path / "old.tar", erasures=[tmp_path / "new.tar"])
    assert "2 erasures were requested again" in capsys.readouterr().out
    # The past moments of this test are long over for the clock on the wall: both are carried out at once.
    assert [answer.trial.session_id for answer in Answer.objects.all()] == [stays.session.pk]
    assert [identity.rater_id for identity in Identity.objects.order_by("pk")] == [
        withdrew.session.rater_id, stays.session.rater_id,
    ]  # fmt: skip
    assert not [table for table, text in texts() if erased.name in text]
    assert REASON in " ".join(text for _, text in texts())
    assert erasing.replay(clock=lambda: later) == 0


def test_what_was_asked_for_just_before_waits_for_its_time_unusable(people: list[Person], now: datetime) -> None:
    person = people[0]
    erasure = requests.delete_answers(session_id=person.session.pk, now=person.now)
    # As if the database were that of the day before, and the list today's.
    Erasure.objects.all().delete()
    Trial.objects.update(usable=True)
    assert erasing.replay(clock=lambda: person.now) == 1
    again = Erasure.objects.get()
    assert (again.queued_at, again.listed, again.state) == (erasure.queued_at, erasure.listed, "queued")
    assert erasing.replay(clock=lambda: person.now) == 1
    assert Erasure.objects.count() == 1
    assert Answer.objects.count() == 3
    assert erasing.replay(clock=lambda: person.now + DAY) == 1
    assert Answer.objects.count() == 2


def test_a_request_that_was_taken_back_is_not_asked_for_again_though_its_entry_stayed(people: list[Person]) -> None:
    person = people[0]
    erasure = requests.delete_answers(session_id=person.session.pk, now=person.now)
    entry = default_storage.open(erasure.listed).read()
    requests.undo(erasure_id=erasure.pk, now=person.now)
    # As if the store had been away when the entry was to go.
    default_storage.save(erasure.listed, ContentFile(entry))
    assert [name for name, _ in ledger.entries()] == [erasure.listed]
    assert erasing.replay(clock=lambda: person.now + 2 * DAY) == 0
    assert Answer.objects.count() == 3


def test_the_list_names_nobody_and_fits_no_other_row(people: list[Person], now: datetime) -> None:
    person = people[0]
    requests.erase_person(rater_id=person.session.rater_id, now=now, by=None)
    [(name, entry)] = list(ledger.entries())
    assert person.name not in default_storage.open(name).read().decode()
    # Another database gave the same number to somebody else.
    Session.objects.filter(pk=person.session.pk).update(arrived_at=now)
    person.session.rater.created_at = now + timedelta(microseconds=1)
    person.session.rater.save()
    assert ledger.people_of(entry) is None
    assert erasing.replay(clock=lambda: now) == 0

"""On SQLite, deleted words stay in the write-ahead log until it is emptied: an erasure is over only then."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.db import connection

from core.jobs import DONE, LEASE, RUNNING
from raters.models import Erasure
from raters.privacy import erasing, requests
from tests.raters.privacy.searching import content_of
from tests.world import Person, carry, make_study

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]
WORDS = "a whistle behind the third word that nobody else hears"


def files_with_the_words() -> list[str]:
    database = Path(connection.settings_dict["NAME"])
    paths = database.parent.glob(f"{database.name}*")
    return sorted(path.name for path in paths if WORDS.encode() in content_of(path))


def test_no_file_has_an_erased_reason_even_where_somebody_read_on_meanwhile(now: datetime) -> None:
    person = Person(make_study(now=now, texts=24), now).start()
    person.fetch()
    person.play()
    person.wait(2)
    person.send(person.submission(answer={"label": "human", "reason": WORDS}))
    assert files_with_the_words()
    erasure = requests.delete_answers(session_id=person.session.pk, now=person.now)
    due = person.now + timedelta(hours=24)
    client, place = carry(person), f"/rate/{person.study.slug}/end/"
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout=20")
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM raters_answer").fetchall()
        assert not erasing.carry_out(pk=erasure.pk, clock=lambda: due)
        assert Erasure.objects.get().state == RUNNING
        assert files_with_the_words(), "a reader keeps them in the log"
        assert "files are being overwritten" in client.get(place).text
    assert erasing.carry_out(pk=erasure.pk, clock=lambda: due + LEASE + timedelta(seconds=1))
    assert Erasure.objects.get().state == DONE
    assert files_with_the_words() == []
    assert "files are being overwritten" not in client.get(place).text

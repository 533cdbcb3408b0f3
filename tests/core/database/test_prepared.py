"""Prepared queries do what the same queries do unprepared, on both databases, however often they are called."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import django
import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import DateTimeField, F
from django.db.models.functions import Coalesce
from django.test.utils import CaptureQueriesContext

from core.database.prepared import (
    Insert,
    Objects,
    Parameter,
    Select,
    Update,
    commit_at_once,
    numbered,
    several,
    write_together,
)
from raters.models import Answer, Rater, Trial, TrialClip
from tests.world import Person, make_study

pytestmark = pytest.mark.django_db


# The versions of Django (major, minor) on which `core.database.prepared` was measured and read against the source.
PROVEN_DJANGO = {(5, 2)}


def test_django_is_a_version_on_which_prepared_queries_were_proven() -> None:
    assert django.VERSION[:2] in PROVEN_DJANGO, (
        f"Django {django.get_version()} is new to core/database/prepared.py, which uses its private SQL compiler. "
        "Compare these with the new release: SQLCompiler.as_sql, .select, .get_converters and .apply_converters; "
        "UpdateQuery.add_update_values; InsertQuery.insert_values; SQLInsertCompiler.returning_fields and .as_sql; "
        "Model.from_db. Run this file and tests/raters/rating on SQLite and on PostgreSQL, then add the version here."
    )


@pytest.fixture
def person(now: datetime) -> Person:
    return Person(make_study(now=now), now).start()


def test_a_select_returns_each_calls_rows_as_the_orm_reads_them(person: Person) -> None:
    columns = ("pk", "position", "shown", "served_at", "batch__opened_at", "text_id")
    select = Select(
        lambda: Trial.objects.filter(batch__session=Parameter("session"), position=Parameter("at")).values_list(
            *columns
        )
    )
    for position in (1, 2, 1):
        rows = Trial.objects.filter(session=person.session, position=position)
        assert select(session=person.session.pk, at=position) == list(rows.values_list(*columns))
    assert select(session=0, at=1) == []


def test_it_is_written_once_and_sent_as_one_statement(person: Person) -> None:
    built = []
    select = Select(lambda: built.append(1) or Trial.objects.filter(pk=Parameter("trial")).values_list("pk"))
    with CaptureQueriesContext(connection) as sent:
        select(trial=1)
        select(trial=2)
    assert (len(built), len(sent)) == (1, 2)


def test_several_values_stand_in_a_list(person: Person) -> None:
    mine = list(Trial.objects.filter(session=person.session).values_list("pk", flat=True))
    select = Select(lambda: Trial.objects.filter(pk__in=several("trial", 3)).order_by("pk").values_list("pk"))
    assert select(**numbered("trial", mine[:3])) == [(pk,) for pk in sorted(mine[:3])]
    assert select(**numbered("trial", mine[3:6])) == [(pk,) for pk in sorted(mine[3:6])]


def test_an_update_changes_the_rows_that_match_through_other_tables(person: Person, now: datetime) -> None:
    began = Update(
        lambda: TrialClip.objects.filter(key=Parameter("key"), trial__session__tab=Parameter("tab")),
        plays=F("plays") + 1,
        play_began_at=Coalesce("play_began_at", Parameter("now", DateTimeField())),
    )
    key, tab = person.current.trial.clips[0].key, person.current.tab
    assert began(key=key, tab="another", now=now) == 0
    assert began(key=key, tab=tab, now=now) == 1
    assert began(key=key, tab=tab, now=now + timedelta(seconds=9)) == 1
    row = TrialClip.objects.get(key=key)
    assert (row.plays, row.play_began_at) == (2, now)
    assert TrialClip.objects.filter(plays__gt=0).count() == 1


def test_an_insert_keeps_every_kind_of_value(person: Person, now: datetime) -> None:
    insert = Insert(Answer)
    trials = list(Trial.objects.filter(session=person.session).order_by("pk")[:2])
    for trial in trials:
        given = {
            "idempotency": uuid4(),
            "body": {"label": "é", "n": [1, None]},
            "evidence": {},
            "reason": "%s \\ '",
            "at": now,
        }
        insert(trial_id=trial.pk, **given)
        row = Answer.objects.get(trial=trial)
        assert {name: getattr(row, name) for name in given} == given


def test_objects_are_read_with_all_their_columns(person: Person) -> None:
    find = Objects(Trial, lambda: Trial.objects.filter(session=Parameter("session"), position=Parameter("at")))
    for position in (1, 2):
        [found] = find(session=person.session.pk, at=position)
        expected = Trial.objects.get(session=person.session, position=position)
        names = [field.attname for field in Trial._meta.concrete_fields]
        assert [getattr(found, name) for name in names] == [getattr(expected, name) for name in names]
        assert found.get_deferred_fields() == set()
    assert find(session=0, at=1) == []


def test_many_rows_are_one_statement_and_their_keys_come_in_order(person: Person, now: datetime) -> None:
    insert, shown = Insert(TrialClip), TrialClip.objects.get(trial__session=person.session, trial__position=1)
    whose = {"trial_id": shown.trial_id, "clip_id": shown.clip_id}
    for places in ((5, 3, 4), (8, 6, 7), (9,)):
        rows: list[dict[str, Any]] = [{**whose, "place": n, "key": f"key-{n}", "plays": n} for n in places]
        rows[-1]["fetched_at"] = now
        with CaptureQueriesContext(connection) as sent:
            keys = insert.many(rows)
        stored = TrialClip.objects.in_bulk(keys)
        assert [(stored[key].key, stored[key].plays) for key in keys] == [(f"key-{n}", n) for n in places]
        assert [stored[key].fetched_at for key in keys] == [None] * (len(places) - 1) + [now]
        assert all(clip.sent == [] and clip.play_began_at is None for clip in stored.values())
        assert len(sent) == 1


def test_a_column_that_does_not_exist_is_an_error(now: datetime) -> None:
    with pytest.raises(KeyError, match="creatd_at"):
        Insert(Rater)(creatd_at=now)


def test_a_value_that_is_missing_is_an_error() -> None:
    select = Select(lambda: Trial.objects.filter(pk=Parameter("trial")).values_list("pk"))
    with pytest.raises(KeyError):
        select(batch=1)


EVIDENCE = Update(
    lambda: Rater.objects.filter(pk=Parameter("rater")), durable=False, created_at=Parameter("at", DateTimeField())
)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_an_update_that_may_be_lost_leaves_every_other_commit_durable(now: datetime) -> None:
    rater, later = Rater.objects.create(created_at=now), now + timedelta(hours=1)

    def setting() -> Any:
        with connection.cursor() as cursor:
            cursor.execute("SHOW synchronous_commit")
            return cursor.fetchone()

    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = on")
    EVIDENCE.statement({"rater": rater.pk, "at": now})
    try:
        with CaptureQueriesContext(connection) as alone:
            assert EVIDENCE(rater=rater.pk, at=later) == 1
        assert setting() == ("on",)
        with transaction.atomic(), CaptureQueriesContext(connection) as among_others:
            assert EVIDENCE(rater=rater.pk, at=now) == 1
            assert setting() == ("on",), "the transaction around it commits what must be durable"
        assert EVIDENCE(rater=0, at=later) == 0
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET synchronous_commit")
    assert "synchronous_commit" in alone[0]["sql"]
    assert "synchronous_commit" not in among_others[0]["sql"]
    rater.refresh_from_db()
    assert rater.created_at == now


def test_what_is_written_together_is_one_statement_on_postgresql_and_all_or_nothing(
    person: Person, now: datetime
) -> None:
    trial = Trial.objects.filter(session=person.session, position=1).get()
    add = Insert(Answer)
    mark = Update(lambda: Trial.objects.filter(pk=Parameter("trial")), answered_at=Parameter("now", DateTimeField()))
    key = uuid4()
    row = {"trial_id": trial.pk, "idempotency": key, "body": {"a": "%s"}, "reason": "", "evidence": {}, "at": now}
    statements = mark.statement({"trial": trial.pk, "now": now}), add.statement([row])
    with CaptureQueriesContext(connection) as sent:
        write_together(*statements)
    assert len(sent) == (1 if connection.vendor == "postgresql" else 2)
    assert Answer.objects.get(trial=trial).body == {"a": "%s"}
    trial.refresh_from_db()
    assert trial.answered_at == now
    later = now + timedelta(hours=1)
    # Another trial's answer under the same key.
    refused = mark.statement({"trial": trial.pk, "now": later}), add.statement([{**row, "trial_id": trial.pk + 1}])
    with pytest.raises(IntegrityError), transaction.atomic():
        write_together(*refused)
    trial.refresh_from_db()
    assert trial.answered_at == now


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_may_be_lost_leaves_the_next_one_durable() -> None:
    def setting() -> str:
        with connection.cursor() as cursor:
            return str(cursor.execute("SHOW synchronous_commit").fetchone()[0])

    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = on")
    try:
        with transaction.atomic():
            commit_at_once()
            assert setting() == "off"
        assert setting() == "on"
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET synchronous_commit")

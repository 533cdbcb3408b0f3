"""Tables change while raters rate: nobody waits long, and a server of the release before goes on storing answers."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.commands.migrate import Command as Migrate
from django.db import OperationalError, connection, migrations, models, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.db.models import NOT_PROVIDED
from psycopg import errors

from core import clock
from core.management.commands import migrate
from core.paths import ROOT
from raters.models import Answer
from tests.world import Person, make_study

OURS = ("accounts", "studies", "raters", "analysis", "judge")
# The last migration of each app before raters were to go on while one runs.
BEFORE = {"accounts": 2, "studies": 4, "raters": 6, "analysis": 4, "judge": 1}
# Those for which studies must be paused; the changelog says so.
PAUSED = {"raters.0010_rights"}


def must_be_named(field: Any) -> bool:
    """Return whether code that doesn't name a column can store no row."""
    return not field.null and field.db_default is NOT_PROVIDED


def was_named(name: str, operation: Any, before: ProjectState | None) -> bool:
    """Return whether old code has to name an altered column, too; it may be one that could be empty."""
    if before is None:
        return False
    return must_be_named(before.models[name.partition(".")[0], operation.model_name_lower].fields[operation.name])


def breaking(name: str, operations: list[Any], before: ProjectState | None = None) -> list[str]:
    """Return what in a migration, of a state `before` it, the code of the release before could not live with."""
    made = {operation.name.lower() for operation in operations if isinstance(operation, migrations.CreateModel)}
    found = []
    for operation in operations:
        if isinstance(operation, migrations.SeparateDatabaseAndState):
            found += breaking(name, operation.database_operations, before)
        model = getattr(operation, "model_name", "").lower()
        if isinstance(operation, migrations.AddField) and model not in made:
            field = operation.field
            if not (field.null or field.many_to_many or field.db_default is not NOT_PROVIDED):
                found.append(f"{name}: {model}.{operation.name} needs a db_default: old code doesn't name it")
            continue
        is_altered = isinstance(operation, migrations.AlterField) and model not in made
        if is_altered and must_be_named(operation.field) and not was_named(name, operation, before):
            found.append(f"{name}: {model}.{operation.name} must not be empty, and old code may leave it so")
        if isinstance(operation, migrations.RunSQL):
            found.append(f"{name}: nobody can tell what this SQL does to old code")
        gone = migrations.RemoveField, migrations.RenameField, migrations.DeleteModel, migrations.RenameModel
        if isinstance(operation, gone) and model not in made:
            found.append(f"{name}: {operation.describe()}, which old code still asks for")
    return found


@pytest.mark.parametrize(
    ("operation", "breaks"),
    [
        (migrations.AddField("answer", "later", models.TextField(default="")), True),
        (migrations.AddField("answer", "later", models.TextField(db_default="")), False),
        (migrations.AlterField("answer", "later", models.TextField(default="")), True),
        (migrations.AlterField("answer", "later", models.TextField(null=True)), False),
        (migrations.RunSQL("ALTER TABLE raters_answer DROP COLUMN reason"), True),
        (migrations.RemoveField("answer", "reason"), True),
        (migrations.SeparateDatabaseAndState([migrations.RemoveField("answer", "reason")]), True),
    ],
)
def test_what_old_code_cannot_live_with_is_found(operation: Any, breaks: bool) -> None:
    assert bool(breaking("raters.0099_later", [operation])) is breaks


def test_new_columns_have_a_default_in_the_database_and_old_ones_stay() -> None:
    found = {}
    loader = MigrationLoader(None)
    for (app, name), migration in loader.disk_migrations.items():
        if app in OURS and int(name[:4]) > BEFORE[app]:
            before = loader.project_state((app, name), at_end=False)
            found[f"{app}.{name}"] = breaking(f"{app}.{name}", migration.operations, before)
    assert [problem for name, problems in found.items() if name not in PAUSED for problem in problems] == []
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert [name for name in PAUSED if name.partition(".")[2][:4] not in changelog] == []


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_an_answer_is_stored_by_code_that_does_not_know_a_new_column() -> None:
    person = Person(make_study(now=clock.now(), texts=24), clock.now()).start()
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE raters_answer ADD COLUMN later smallint DEFAULT 0 NOT NULL")
        cursor.execute("ALTER TABLE raters_session ADD COLUMN later smallint DEFAULT 0 NOT NULL")
    try:
        person.rate()
        Person(person.study, clock.now()).start().rate()
        assert Answer.objects.count() == 2
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE raters_answer DROP COLUMN later")
            cursor.execute("ALTER TABLE raters_session DROP COLUMN later")


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_migration_lets_raters_pass_and_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rater's transaction is open; the migration waits shortly, others rate meanwhile, and at last it is done."""
    person = Person(make_study(now=clock.now(), texts=24), clock.now()).start()
    monkeypatch.setattr(migrate, "LOCK_SECONDS", 1)
    rated = threading.Event()

    def alter(self: Any, *args: Any, **options: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE raters_answer ADD COLUMN later smallint DEFAULT 0 NOT NULL")

    def pause(seconds: float) -> None:
        # The rater whose transaction held the table goes on rating while the migration stands back.
        open_transaction.execute("ROLLBACK")
        person.rate()
        rated.set()

    monkeypatch.setattr(Migrate, "handle", alter)
    # Its own `time`: other threads of the suite sleep, too, and would take this one's turn.
    monkeypatch.setattr(migrate, "time", SimpleNamespace(sleep=pause))
    other = connection.copy()
    try:
        open_transaction = other.cursor()
        open_transaction.execute("BEGIN")
        open_transaction.execute("LOCK TABLE raters_answer IN ROW EXCLUSIVE MODE")
        call_command("migrate", verbosity=0)
        assert rated.is_set()
        assert Answer.objects.count() == 1
        with connection.cursor() as cursor:
            cursor.execute("SHOW lock_timeout")
            assert cursor.fetchone() == ("0",)
            cursor.execute("ALTER TABLE raters_answer DROP COLUMN later")
    finally:
        other.close()


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_migration_that_meets_a_rater_crosswise_stands_back_and_the_rater_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each holds a table that the other one waits for: PostgreSQL would end either of them after a second."""
    crossed = threading.Event()

    def rate() -> None:
        with closing(connection.copy()) as other, other.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("LOCK TABLE raters_session IN ROW EXCLUSIVE MODE")
            crossed.set()
            locked.wait(30)
            cursor.execute("LOCK TABLE raters_answer IN ROW EXCLUSIVE MODE")
            cursor.execute("COMMIT")

    def alter(self: Any, *args: Any, **options: Any) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("LOCK TABLE raters_answer IN ACCESS EXCLUSIVE MODE")
            locked.set()
            cursor.execute("LOCK TABLE raters_session IN ACCESS EXCLUSIVE MODE")
            done.append(1)

    locked, done = threading.Event(), list[int]()
    monkeypatch.setattr(Migrate, "handle", alter)
    monkeypatch.setattr(migrate, "PAUSE", 0.1)
    with ThreadPoolExecutor(1) as threads:
        rating = threads.submit(rate)
        assert crossed.wait(30)
        call_command("migrate", verbosity=0)
        rating.result(30)
    assert done == [1]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_migration_ended_by_a_deadlock_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []

    def fail(self: Any, *args: Any, **options: Any) -> None:
        tries.append(1)
        if len(tries) == 1:
            raise OperationalError("deadlock detected") from errors.DeadlockDetected("deadlock detected")

    monkeypatch.setattr(Migrate, "handle", fail)
    monkeypatch.setattr(migrate, "PAUSE", 0)
    call_command("migrate", verbosity=0)
    assert tries == [1, 1]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_the_keys_that_are_copied_are_migrated_again_where_that_stopped_halfway() -> None:
    migration = import_module("raters.migrations.0018_copied_keys").Migration
    before = MigrationLoader(None).project_state(("raters", "0017_large_studies"))
    assert not migration.atomic
    # Everything was done by the first run; the second finds it so.
    with connection.schema_editor(atomic=False) as editor:
        migration("0018_copied_keys", "raters").apply(before, editor)
    with connection.cursor() as cursor:
        names = set(connection.introspection.get_constraints(cursor, "raters_trial"))
    assert "trial_token_once" in names


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_another_failure_of_a_migration_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []

    def fail(self: Any, *args: Any, **options: Any) -> None:
        tries.append(1)
        raise OperationalError("out of disk")

    monkeypatch.setattr(Migrate, "handle", fail)
    with pytest.raises(OperationalError, match="out of disk"):
        call_command("migrate", verbosity=0)
    assert tries == [1]

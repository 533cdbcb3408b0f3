"""Queries whose SQL the ORM writes once a process; each call then only binds new values.

While an answer is stored, writing SQL costs several times what sending it does (ADR 42). A prepared query
is an ordinary one with a `Parameter` in place of each value. Its shape is fixed: no value of a filter may be None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from typing import Any, Generic, TypeVar, cast

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, Expression, Field, Model, QuerySet
from django.db.models.sql import InsertQuery, UpdateQuery

M = TypeVar("M", bound=Model)
R = TypeVar("R")
R2 = TypeVar("R2")


class Parameter(Expression):
    """A placeholder for a value passed by each call; `field` converts it if the database stores another form."""

    def __init__(self, name: str, field: Field[Any, Any] | None = None) -> None:
        super().__init__(output_field=field)
        self.name = name
        self.column = field

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        return "%s", [self]

    def bind(self, values: dict[str, Any], database: BaseDatabaseWrapper) -> Any:
        """Return this call's value as the driver takes it."""
        value = values[self.name]
        return value if self.column is None else self.column.get_db_prep_save(value, database)


def several(name: str, count: int, field: Field[Any, Any] | None = None) -> list[Any]:
    """Return `count` placeholders for keys (or values of a field), as for `__in`; pass the values with `numbered`.

    All keys get one width: PostgreSQL's driver would plan again for every mixture of small and large ones.
    """
    column = field or BigIntegerField()
    return [Parameter(f"{name}{number}", column) for number in range(count)]


def numbered(name: str, values: Iterable[Any]) -> dict[str, Any]:
    """Return the values for the placeholders that `several` made."""
    return {f"{name}{number}": value for number, value in enumerate(values)}


Statement = tuple[str, list[Any]]


def _database() -> BaseDatabaseWrapper:
    """Return this thread's connection itself: `connection` looks it up for each attribute."""
    return connections[DEFAULT_DB_ALIAS]


def _execute(database: BaseDatabaseWrapper, statement: Statement) -> Any:
    """Execute a statement; return the driver's own cursor: rows read by Django's around it take a third longer."""
    cursor = database.cursor()
    cursor.execute(*statement)
    return cursor.cursor


def _rows(database: BaseDatabaseWrapper, statement: Statement) -> list[tuple[Any, ...]]:
    cursor = _execute(database, statement)
    # SQLite fetches lazily, so errors may occur here.
    with database.wrap_database_errors:
        return cursor.fetchall()  # type: ignore[no-any-return]


def _bind(parameters: Sequence[Any], values: dict[str, Any], database: BaseDatabaseWrapper) -> list[Any]:
    return [each.bind(values, database) if isinstance(each, Parameter) else each for each in parameters]


class Select:
    """A `values_list` query."""

    def __init__(self, build: Callable[[], QuerySet[Any, Any]]) -> None:
        self.build = build
        self.written: tuple[str, Sequence[Any], Any, Any] | None = None

    def __call__(self, **values: Any) -> list[tuple[Any, ...]]:
        """Return the rows; one statement."""
        if self.written is None:
            compiler: Any = self.build().query.get_compiler(connection=connection)
            sql, parameters = compiler.as_sql()
            columns = [column for column, _, _ in compiler.select]
            self.written = sql, parameters, compiler, compiler.get_converters(columns)
        sql, parameters, compiler, converters = self.written
        database = _database()
        rows = _rows(database, (sql, _bind(parameters, values, database)))
        return [tuple(row) for row in compiler.apply_converters(rows, converters)] if converters else rows


class Objects(Generic[M]):
    """A query that returns objects, with all their columns."""

    def __init__(self, model: type[M], build: Callable[[], QuerySet[M, M]]) -> None:
        self.model = model
        self.names = [field.attname for field in model._meta.concrete_fields]
        self.select = Select(lambda: build().values_list(*self.names))

    def __call__(self, **values: Any) -> list[M]:
        """Return the rows; one statement."""
        return [self.model.from_db(DEFAULT_DB_ALIAS, self.names, row) for row in self.select(**values)]


class Rows(Generic[R]):
    """A query that returns `row` objects (a named tuple or a dataclass): each field is a column of the same name, or
    the one that `columns` names for it."""

    def __init__(self, row: type[R], build: Callable[[], QuerySet[Any, Any]], **columns: Any) -> None:
        self.row = row
        self.select = Select(lambda: build().values_list(*columns_of(row, columns)))

    def __call__(self, **values: Any) -> list[R]:
        """Return the rows; one statement."""
        return [self.row(*row) for row in self.select(**values)]


class Pairs(Generic[R, R2]):
    """A query that returns two objects for each row, as `Rows` returns one."""

    def __init__(
        self,
        first: tuple[type[R], dict[str, Any]],
        second: tuple[type[R2], dict[str, Any]],
        build: Callable[[], QuerySet[Any, Any]],
    ) -> None:
        own, others = columns_of(*first), columns_of(*second)
        self.rows, self.width = (first[0], second[0]), len(own)
        self.select = Select(lambda: build().values_list(*own, *others))

    def __call__(self, **values: Any) -> list[tuple[R, R2]]:
        """Return the rows; one statement."""
        (first, second), at = self.rows, self.width
        return [(first(*row[:at]), second(*row[at:])) for row in self.select(**values)]


def columns_of(row: Any, columns: dict[str, Any]) -> list[Any]:
    """Return the column of each field of a row type, in the fields' order; raises `KeyError` for an unknown field."""
    names = row._fields if issubclass(row, tuple) else [field.name for field in fields(row)]
    if unknown := columns.keys() - set(names):
        raise KeyError(*unknown)
    return [columns.get(name, name) for name in names]


# Appended to a statement's WHERE: this transaction commits without waiting for the disk, on PostgreSQL.
AT_ONCE = " AND set_config('synchronous_commit', 'off', true) IS NOT NULL"


def commit_at_once() -> None:
    """Let this transaction commit without waiting for the disk, on PostgreSQL: for work not yet confirmed to anyone."""
    database = _database()
    if database.vendor == "postgresql":
        _execute(database, ("SELECT set_config('synchronous_commit', 'off', true)", []))


class Update:
    """An update of the rows of a query: {column: expression}.

    With `durable=False`, a statement that is a transaction of its own doesn't wait for the disk on PostgreSQL: if the
    database crashes, the last moments of it may be lost, but never what a later durable commit relies on (ADR 42).
    """

    def __init__(self, build: Callable[[], QuerySet[Any, Any]], *, durable: bool = True, **changes: Any) -> None:
        self.build = build
        self.durable = durable
        self.changes = changes
        self.written: tuple[str, Sequence[Any]] | None = None

    def __call__(self, **values: Any) -> int:
        """Return how many rows there were; one statement."""
        sql, parameters = self.statement(values)
        database = _database()
        if not (self.durable or database.in_atomic_block) and database.vendor == "postgresql":
            sql += AT_ONCE
        return int(_execute(database, (sql, parameters)).rowcount)

    def statement(self, values: dict[str, Any]) -> Statement:
        """Return the statement for these values."""
        if self.written is None:
            query = cast(UpdateQuery, self.build().query.chain(UpdateQuery))
            query.add_update_values(self.changes)
            # The ORM writes FOR UPDATE in a subquery only within a transaction; no statement is sent here.
            with transaction.atomic():
                self.written = query.get_compiler(connection=connection).as_sql()
        sql, parameters = self.written
        return sql, _bind(parameters, values, _database())


class Insert:
    """New rows of a table; a column that a call doesn't name gets its default."""

    def __init__(self, model: type[Model]) -> None:
        self.model = model
        self.fields = [field for field in model._meta.concrete_fields if field is not model._meta.auto_field]
        self.defaults: list[Any] = []
        self.written: dict[tuple[int, bool], str] = {}

    def __call__(self, **values: Any) -> None:
        """Insert a row; one statement."""
        _execute(_database(), self.statement([values]))

    def statement(self, rows: Sequence[dict[str, Any]]) -> Statement:
        """Return the statement for these rows."""
        return self._write(rows, _database(), returning=False)

    def many(self, rows: Sequence[dict[str, Any]]) -> list[Any]:
        """Insert rows and return their keys, in the same order; one statement."""
        database = _database()
        return [key for (key,) in _rows(database, self._write(rows, database, returning=True))]

    def _write(self, rows: Sequence[dict[str, Any]], database: BaseDatabaseWrapper, *, returning: bool) -> Statement:
        # The ORM writes several rows as one array a column: the statement is then the same for any number of them.
        has_arrays = database.vendor == "postgresql" and len(rows) > 1
        shape = 2 if has_arrays else len(rows), returning
        if shape not in self.written:
            self.defaults = [field.get_db_prep_save(field.get_default(), database) for field in self.fields]
            names = {field.attname for field in self.fields}
            if unknown := set().union(*rows) - names:
                raise KeyError(*unknown)
            query = InsertQuery(self.model)
            row = self.model(**dict.fromkeys(names))
            query.insert_values(self.fields, [row] * shape[0], raw=True)
            compiler = query.get_compiler(connection=database)
            compiler.returning_fields = [self.model._meta.pk] if returning else None
            [(self.written[shape], _)] = compiler.as_sql()
        columns = [
            [field.get_db_prep_save(row[field.attname], database) if field.attname in row else default for row in rows]
            for field, default in zip(self.fields, self.defaults, strict=True)
        ]
        values = columns if has_arrays else [value for row in zip(*columns, strict=True) for value in row]
        return self.written[shape], values


def write_together(first: Statement, *others: Statement) -> None:
    """Execute statements that don't read each other's writes: as one on PostgreSQL, one by one on SQLite.

    In both cases the first one's locks are taken before the others begin.
    """
    statements = (first, *others)
    database = _database()
    if database.vendor == "postgresql":
        # The others are executed once the statement itself is.
        parts = ", ".join(f"part{number} AS ({sql})" for number, (sql, _) in enumerate(others))
        statements = ((f"WITH {parts} {first[0]}", [value for _, values in (*others, first) for value in values]),)
    for statement in statements:
        _execute(database, statement)

"""Queries that the ORM writes once a process, and that are then only given new values.

On the way of an answer, writing SQL costs several times what sending it does (docs/benchmarks.md). A prepared query is
an ordinary one with `Given` in the place of each value. Its shape is fixed, so that no value may be None in a filter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from django.db import connection
from django.db.models import BigIntegerField, Expression, Field, Model, QuerySet
from django.db.models.sql import InsertQuery, UpdateQuery


class Given(Expression):
    """Stands for a value that comes with each call; `field` says how the database keeps it, where that differs."""

    def __init__(self, name: str, field: Field[Any, Any] | None = None) -> None:
        super().__init__(output_field=field)
        self.name = name
        self.column = field

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        return "%s", [self]

    def bind(self, values: dict[str, Any]) -> Any:
        """Return this call's value as the driver takes it."""
        value = values[self.name]
        return value if self.column is None else self.column.get_db_prep_save(value, connection)


def several(name: str, count: int, field: Field[Any, Any] | None = None) -> list[Any]:
    """Return what stands for `count` keys (or values of a field), in an `__in` for example; give them by `numbered`.

    Keys are all of one width: PostgreSQL's driver would plan anew for every mixture of small and large ones.
    """
    kept_as = field or BigIntegerField()
    return [Given(f"{name}{number}", kept_as) for number in range(count)]


def numbered(name: str, values: Iterable[Any]) -> dict[str, Any]:
    """Return the values that `several` stands for."""
    return {f"{name}{number}": value for number, value in enumerate(values)}


def _bind(parameters: Sequence[Any], values: dict[str, Any]) -> list[Any]:
    return [each.bind(values) if isinstance(each, Given) else each for each in parameters]


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
        with connection.cursor() as cursor:
            cursor.execute(sql, _bind(parameters, values))
            rows = cursor.fetchall()
        return [tuple(row) for row in compiler.apply_converters(rows, converters)] if converters else rows


class Update:
    """An update of the rows of a query: {column: expression}."""

    def __init__(self, build: Callable[[], QuerySet[Any, Any]], **changes: Any) -> None:
        self.build = build
        self.changes = changes
        self.written: tuple[str, Sequence[Any]] | None = None

    def __call__(self, **values: Any) -> int:
        """Return how many rows there were; one statement."""
        if self.written is None:
            query = cast(UpdateQuery, self.build().query.chain(UpdateQuery))
            query.add_update_values(self.changes)
            self.written = query.get_compiler(connection=connection).as_sql()
        sql, parameters = self.written
        with connection.cursor() as cursor:
            cursor.execute(sql, _bind(parameters, values))
            return int(cursor.rowcount)


class Insert:
    """One new row; every column but an automatic key is named at each call."""

    def __init__(self, model: type[Model]) -> None:
        self.model = model
        self.written: tuple[str, Sequence[Any]] | None = None

    def __call__(self, **values: Any) -> None:
        """Insert it; one statement."""
        if self.written is None:
            fields = [field for field in self.model._meta.concrete_fields if field is not self.model._meta.auto_field]
            row = self.model(**{field.attname: Given(field.attname, field) for field in fields})
            query = InsertQuery(self.model)
            query.insert_values(fields, [row], raw=True)
            [self.written] = query.get_compiler(connection=connection).as_sql()
        sql, parameters = self.written
        with connection.cursor() as cursor:
            cursor.execute(sql, _bind(parameters, values))

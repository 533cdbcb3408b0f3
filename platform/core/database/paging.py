"""Read long tables page by page, so that no cursor stays open between two rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from typing import Any

from django.db.models import DateTimeField, Field, Func, QuerySet

from core.database.local_settings import set_locally
from core.database.prepared import Parameter, Select

PAGE = 2000
JSON = json.JSONDecoder()


def paged(
    rows: QuerySet[Any, Any], key: str, *, after: Any = None, size: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a `values()` query ordered by `key`, which must be unique and not null.

    With `after`, start after that key. `size` is the number of rows read at once.

    A page is one SELECT, read to its end before its first row is yielded. An open cursor would bind its connection to
    an old state: under SQLite, a write on it fails at once ("database is locked") after another process has committed.
    Rows that are stored during the reading appear if they come later in the order.
    """
    ordered, size = rows.order_by(key), size or PAGE
    page: list[dict[str, Any]] = list((ordered if after is None else ordered.filter(**{f"{key}__gt": after}))[:size])
    while page:
        yield from page
        if len(page) < size:
            return
        page = list(ordered.filter(**{f"{key}__gt": page[-1][key]})[:size])


@contextmanager
def by_index() -> Iterator[None]:
    """Keep PostgreSQL from parallel plans during many pages that an index finds.

    Its planner takes a page for a share of the whole table, then starts processes or reads all of it for each page.
    """
    with set_locally("max_parallel_workers_per_gather", "0"):
        yield


def keys(rows: QuerySet[Any], at_a_time: int) -> Iterator[list[int]]:
    """Yield lists of the primary keys of these rows, in order: for tables that are read by their parents."""
    each = paged(rows.values("pk"), "pk")
    while some := [row["pk"] for row in islice(each, at_a_time)]:
        yield some


def pages(
    rows: QuerySet[Any, Any], *, after: int | None = None, size: int | None = None
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield pages of a `values_list()` query whose first column is the primary key; `paged` says why in pages.

    The SQL is written once, and columns that are `Stored` cost next to nothing: for tables of a million rows.
    """
    size, last = size or PAGE, after or 0
    select = Select(lambda: rows.order_by("pk").filter(pk__gt=Parameter("after"))[:size])
    while page := select(after=last):
        yield page
        if len(page) < size:
            return
        last = page[-1][0]


class Stored(Func):
    """A column as the driver reads it, without a conversion for each value: JSON and times are text."""

    template = "%(expressions)s"

    def __init__(self, path: str) -> None:
        super().__init__(path, output_field=Field())

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        # Python's SQLite driver converts columns by declared type, but not expressions.
        return self.as_sql(compiler, connection, template="+%(expressions)s")

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        # Django's own reading of times takes longer than all other work on a row.
        is_time = isinstance(self.source_expressions[0].output_field, DateTimeField)
        return self.as_sql(
            compiler, connection, template="(%(expressions)s AT TIME ZONE 'UTC')::text" if is_time else None
        )


def moment(value: str | None) -> datetime | None:
    """Return the time in a `Stored` column, which is UTC without a zone."""
    return None if value is None else datetime.fromisoformat(f"{value}+00:00")


def read_json(text: str | None) -> Any:
    """Return what a `Stored` column of JSON holds."""
    return None if text is None else JSON.raw_decode(text)[0]

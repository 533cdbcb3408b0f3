"""Read long tables page by page, so that no cursor stays open between two rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.db.models import QuerySet

PAGE = 2000


def paged(
    rows: QuerySet[Any, Any], key: str, *, after: Any = None, size: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a `values()` query in the order of `key`, which is unique among them and never null.

    With `after`, start behind that key. `size` is the number of rows read at once.

    A page is one SELECT that is read to its end before its first row is handed out. A cursor left open would bind its
    connection to the past: under SQLite whoever then writes on it is refused at once ("database is locked") as soon as
    another process has committed. Rows that are stored while one reads appear when they come after what was read.
    """
    ordered, size = rows.order_by(key), size or PAGE
    page: list[dict[str, Any]] = list((ordered if after is None else ordered.filter(**{f"{key}__gt": after}))[:size])
    while page:
        yield from page
        if len(page) < size:
            return
        page = list(ordered.filter(**{f"{key}__gt": page[-1][key]})[:size])


def keys(rows: QuerySet[Any], at_a_time: int) -> Iterator[list[int]]:
    """Yield lists of the primary keys of these rows, in order: for tables that are read by their parents."""
    each = paged(rows.values("pk"), "pk")
    while some := [row["pk"] for row in islice(each, at_a_time)]:
        yield some

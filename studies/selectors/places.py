"""Free places, read through the partial indexes: the cost grows with cells, not with clips or answers."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from django.db import connection

from core.prepared import Select, numbered, several
from studies.models import ItemClip
from studies.protocols.choosing import Candidate

Which = Literal["open", "full"]
CONDITION = {"open": "p.taken < p.wanted", "full": "p.taken >= p.wanted AND p.wanted > 0"}
# In the order of a candidate's fields.
COLUMNS = "p.id, p.item_id, c.id, c.system_id, c.dimension, p.text_id, p.taken, s.name = 'human'"
CELLS = "c.study_id = %(study)s AND c.simulated = %(simulated)s AND c.role = %(role)s"

POSTGRESQL = """
SELECT {columns} FROM studies_cell c JOIN studies_system s ON s.id = c.system_id
CROSS JOIN LATERAL (
  SELECT p.id, p.item_id, p.text_id, p.taken FROM studies_pool p
  WHERE p.cell_id = c.id AND {condition} AND p.shuffle >= %(start)s
    AND p.item_id <> ALL(%(items)s::bigint[])
    AND (p.text_id IS NULL OR p.text_id <> ALL(%(texts)s::bigint[]))
  ORDER BY p.taken, p.shuffle LIMIT %(limit)s
) p WHERE {cells}
"""
# SQLite has no LATERAL; a correlated IN with a LIMIT seeks the same index once a cell.
SQLITE = """
SELECT {columns} FROM studies_cell c JOIN studies_system s ON s.id = c.system_id
JOIN studies_pool p ON p.id IN (
  SELECT p.id FROM studies_pool p
  WHERE p.cell_id = c.id AND {condition} AND p.shuffle >= %(start)s
    AND p.item_id NOT IN (SELECT value FROM json_each(%(items)s))
    AND (p.text_id IS NULL OR p.text_id NOT IN (SELECT value FROM json_each(%(texts)s)))
  ORDER BY p.taken, p.shuffle LIMIT %(limit)s
) WHERE {cells}
"""


def statement(which: Which) -> str:
    """Return the SQL for this database; `which` names the partial index that it seeks."""
    template = POSTGRESQL if connection.vendor == "postgresql" else SQLITE
    return template.format(columns=COLUMNS, condition=CONDITION[which], cells=CELLS)


def candidates(
    *,
    study_id: int,
    simulated: bool,
    role: str,
    limit: int,
    items: Collection[int] = (),
    texts: Collection[int] = (),
    which: Which = "open",
    start: float = 0.0,
) -> list[Candidate]:
    """Return up to `limit` least-taken places of each cell, without the given items and texts."""
    is_postgresql = connection.vendor == "postgresql"
    values: dict[str, Any] = {
        "study": study_id,
        "simulated": simulated,
        "role": role,
        "limit": limit,
        "start": start,
        "items": list(items) if is_postgresql else json.dumps(list(items)),
        "texts": list(texts) if is_postgresql else json.dumps(list(texts)),
    }
    with connection.cursor() as cursor:
        cursor.execute(statement(which), values)
        return [Candidate._make(row) for row in cursor.fetchall()]


class ClipAt(NamedTuple):
    """A clip of an item."""

    clip: int
    system: str
    role: str
    text: str | None
    seconds: float


def clips_of(items: Collection[int]) -> dict[int, list[ClipAt]]:
    """Return each item's clips in the order of their places."""
    found: defaultdict[int, list[ClipAt]] = defaultdict(list)
    for item, *clip in _clips_of(len(items))(**numbered("item", items)):
        found[item].append(ClipAt(*clip))
    return found


@lru_cache(maxsize=256)
def _clips_of(count: int) -> Select:
    rows = ItemClip.objects.filter(item__pk__in=several("item", count)).order_by("item_id", "place")
    columns = ("clip_id", "clip__system__name", "clip__role", "clip__text__body", "clip__duration")
    return Select(lambda: rows.values_list("item_id", *columns))

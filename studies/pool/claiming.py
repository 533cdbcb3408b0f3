"""Claim places, draw traps, and count taken places: the only code that changes `taken`."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection
from datetime import datetime
from functools import lru_cache, reduce
from operator import or_
from random import Random
from typing import Any, Literal, NamedTuple

from django.db import connection
from django.db.models import Case, Count, F, FloatField, PositiveIntegerField, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce

from core.database.prepared import Select, Update, columns_of, numbered, several
from core.errors import Conflict
from studies.hooks import SpokenContext
from studies.pool import queries
from studies.pool.models import ItemClip, Pool
from studies.rules.choosing import PlaceCandidate, choose, per_cell
from studies.rules.parameters import Protocol

Which = Literal["open", "full"]
CONDITION = {"open": "p.taken < p.wanted", "full": "p.taken >= p.wanted AND p.wanted > 0"}
# In the order of a candidate's fields.
COLUMNS = "p.id, p.item_id, c.id, c.system_id, c.dimension, p.text_id, p.taken, s.name = 'human', c.role"
IN_CELLS = "c.study_id = %(study)s AND c.simulated = %(simulated)s AND c.role"

POSTGRESQL = """
SELECT {columns} FROM studies_cell c JOIN studies_system s ON s.id = c.system_id
CROSS JOIN LATERAL (
  SELECT p.id, p.item_id, p.text_id, p.taken FROM studies_pool p
  WHERE p.cell_id = c.id AND {condition} AND p.shuffle >= %(start)s
    AND p.item_id <> ALL(%(items)s::bigint[])
    AND (p.text_id IS NULL OR p.text_id <> ALL(%(texts)s::bigint[]))
  ORDER BY p.taken, p.shuffle LIMIT %(limit)s
) p WHERE {cells} = ANY(%(roles)s)
"""
# SQLite has no LATERAL; a correlated IN with a LIMIT seeks the same index once per cell.
SQLITE = """
SELECT {columns} FROM studies_cell c JOIN studies_system s ON s.id = c.system_id
JOIN studies_pool p ON p.id IN (
  SELECT p.id FROM studies_pool p
  WHERE p.cell_id = c.id AND {condition} AND p.shuffle >= %(start)s
    AND p.item_id NOT IN (SELECT value FROM json_each(%(items)s))
    AND (p.text_id IS NULL OR p.text_id NOT IN (SELECT value FROM json_each(%(texts)s)))
  ORDER BY p.taken, p.shuffle LIMIT %(limit)s
) WHERE {cells} IN (SELECT value FROM json_each(%(roles)s))
"""


def statement(which: Which) -> str:
    """Return the SQL for this database; `which` names the partial index that it seeks."""
    template = POSTGRESQL if connection.vendor == "postgresql" else SQLITE
    return template.format(columns=COLUMNS, condition=CONDITION[which], cells=IN_CELLS)


def candidates(
    *,
    study_id: int,
    simulated: bool,
    roles: Collection[str],
    limit: int,
    items: Collection[int] = (),
    texts: Collection[int] = (),
    which: Which = "open",
    start: float = 0.0,
) -> list[PlaceCandidate]:
    """Return up to `limit` least-taken places of each cell, without the given items and texts."""
    several_of = list if connection.vendor == "postgresql" else lambda values: json.dumps(list(values))
    values: dict[str, Any] = {
        "study": study_id,
        "simulated": simulated,
        "roles": several_of(roles),
        "limit": limit,
        "start": start,
        "items": several_of(items),
        "texts": several_of(texts),
    }
    with connection.cursor() as cursor:
        cursor.execute(statement(which), values)
        return [PlaceCandidate._make(row) for row in cursor.fetchall()]


class ClipAt(NamedTuple):
    """A clip of an item."""

    clip: int
    system: str
    role: str
    text: str | None
    seconds: float
    context: SpokenContext | None
    expected: str


def clips_of(items: Collection[int]) -> dict[int, list[ClipAt]]:
    """Return each item's clips in the order of their places."""
    clips: defaultdict[int, list[ClipAt]] = defaultdict(list)
    for item, *clip in _clips_of(len(items))(**numbered("item", items)):
        clips[item].append(ClipAt(*clip))
    return clips


@lru_cache(maxsize=256)
def _clips_of(count: int) -> Select:
    rows = ItemClip.objects.filter(item__pk__in=several("item", count)).order_by("item_id", "place")
    columns = {
        "clip": "clip_id",
        "system": "clip__system__name",
        "role": "clip__role",
        "text": "clip__text__body",
        "seconds": "clip__duration",
        "context": "clip__text__context",
        "expected": "clip__expected",
    }
    return Select(lambda: rows.values_list("item_id", *columns_of(ClipAt, columns)))


ATTEMPTS = 4
TRAP_WINDOW = 64


class Contended(Conflict):
    """Other raters are claiming the remaining places; `place` is one of them."""

    code = "contended"

    def __init__(self, place: int) -> None:
        super().__init__("Other raters are taking these places at the moment.")
        self.place = place


def claim(
    *,
    study_id: int,
    simulated: bool,
    protocol: Protocol,
    items: set[int],
    texts: set[int],
    rng: Random,
    now: datetime,
    is_new: bool = False,
    wait_for: int | None = None,
) -> tuple[list[PlaceCandidate], set[int]]:
    """Take `tests_per_batch` places; return them and the keys of the surplus ones.

    Runs inside the caller's transaction. `items` and `texts` are those this rater has met. With too few open places,
    the least-rated full items fill the batch as surplus; if these don't suffice, raises `Conflict` and takes none.
    After `Contended` the transaction must roll back, and may call again with the place to wait for: a waiting rater
    holds no other place, so there is no deadlock.

    Surplus admits no new raters: one who `is_new` gets at least one open place, or none at all (rule A11).

    With adjudication (`most_ratings`) batches are not filled up: only needed raters are asked, and the last batches are
    short.
    """
    if wait_for is not None:
        lock([wait_for])
    cells = queries.test_cells(study_id, simulated, now)
    won: list[PlaceCandidate] = []
    surplus: set[int] = set()
    distinct = protocol.repeat_text == "never"
    kinds, least = (("open",), 1) if protocol.most_ratings else (("open", "full"), protocol.tests_per_batch)
    for which in kinds:
        # Places that others are claiming; the next search skips them.
        missed: list[PlaceCandidate] = []
        for attempt in range(ATTEMPTS):
            missing = protocol.tests_per_batch - len(won)
            if not missing:
                return won, surplus
            seen = candidates(
                study_id=study_id,
                simulated=simulated,
                roles=["test"],
                limit=per_cell(missing, cells, attempt),
                items=items | {place.item for place in (*won, *missed)},
                texts=(texts | {place.text for place in won if place.text}) if distinct else set(),
                which="open" if which == "open" else "full",
            )
            if not seen:
                break
            picked = choose(seen, missing, rng, chosen=won, human_share=protocol.human_share, distinct_texts=distinct)
            claimed = _take(picked, "open" if which == "open" else "full", rng)
            won += claimed
            missed += [place for place in picked if place not in claimed]
            if which == "full":
                surplus |= {place.pool for place in claimed}
        if is_new and not won and not missed:
            break
        if missed and len(won) < protocol.tests_per_batch:
            raise Contended(missed[0].pool)
    if len(won) < least:
        if won:
            Pool.objects.filter(pk__in=[place.pool for place in won]).update(taken=F("taken") - 1)
        raise Conflict("There are no clips left for this rater.", code="nothing_left")
    return won, surplus


def _take(picked: list[PlaceCandidate], which: Which, rng: Random) -> list[PlaceCandidate]:
    """Take those picked places that are free and unchanged since the search; one UPDATE."""
    places = [place.pool for place in picked]
    values = {
        **numbered("place", places),
        # A place taken between search and lock may have more ratings now: leave it to the next search.
        **numbered("taken", [place.taken for place in picked]),
        **numbered("shuffle", [rng.random() for _ in picked]),
    }
    if _take_and_shuffle(len(picked), which)(**values) == len(picked):
        return picked
    # No other claim draws the same number.
    now = dict(Pool.objects.filter(pk__in=places).values_list("pk", "shuffle"))
    return [place for number, place in enumerate(picked) if now.get(place.pool) == values[f"shuffle{number}"]]


@lru_cache(maxsize=512)
def _take_and_shuffle(count: int, which: Which) -> Update:
    places, redrawn = several("place", count), several("shuffle", count, FloatField())
    seen = zip(places, several("taken", count, PositiveIntegerField()), strict=True)
    free = Pool.objects.filter(reduce(or_, [Q(pk=place, taken=taken) for place, taken in seen]), pk__in=places)
    if which == "open":
        # A clip may have been withdrawn since the search.
        free = free.filter(taken__lt=F("wanted"))
    rows = Pool.objects.filter(pk__in=free.select_for_update(skip_locked=True).values("pk"))
    cases = [When(pk=place, then=shuffle) for place, shuffle in zip(places, redrawn, strict=True)]
    return Update(lambda: rows, taken=F("taken") + 1, shuffle=Case(*cases, default=F("shuffle")))


def draw_traps(
    *, study_id: int, simulated: bool, protocol: Protocol, items: set[int], rng: Random
) -> list[PlaceCandidate]:
    """Draw the batch's traps among those new to this rater; raises `Conflict` if there are too few."""
    wanted_by_role = {"trap_flawed": protocol.flawed_traps, "trap_human": protocol.human_traps}
    roles = [role for role, wanted in wanted_by_role.items() if wanted]
    where: dict[str, Any] = {"study_id": study_id, "simulated": simulated, "items": items}
    unmet = candidates(**where, roles=roles, limit=2 * TRAP_WINDOW) if roles else []
    drawn: list[PlaceCandidate] = []
    for role in roles:
        wanted, traps = wanted_by_role[role], [trap for trap in unmet if trap.role == role]
        if len(traps) == 2 * TRAP_WINDOW:
            # There are more than were read: read from a random position, unless it is too close to the end.
            further = candidates(**where, roles=[role], limit=TRAP_WINDOW, start=rng.random())
            traps = further if len(further) == TRAP_WINDOW else traps
        if len(traps) < wanted:
            raise Conflict("There are no traps left that this rater has not heard.", code="nothing_left")
        drawn += rng.sample(traps, wanted)
    return drawn


def lock(pools: Collection[int]) -> dict[int, int]:
    """Lock the rows in the order of all writers; return the ratings that each wants."""
    return dict(_lock(len(pools))(**numbered("place", pools))) if pools else {}


@lru_cache(maxsize=64)
def _lock(count: int) -> Select:
    rows = Pool.objects.filter(pk__in=several("place", count)).order_by("pk")
    return Select(lambda: rows.select_for_update().values_list("pk", "wanted"))


def recount(pools: Collection[int], holding: Callable[[], QuerySet[Any]]) -> None:
    """Recount how many places are taken of locked rows; `holding` returns, for a query of places, the trials that hold
    one."""
    if pools:
        _recount(len(pools), holding)(**numbered("place", pools))


@lru_cache(maxsize=64)
def _recount(count: int, holding: Callable[[], QuerySet[Any]]) -> Update:
    rows = Pool.objects.filter(pk__in=several("place", count))
    number = holding().order_by().values("pool").annotate(number=Count("pk")).values("number")
    return Update(lambda: rows, taken=Coalesce(Subquery(number), 0))

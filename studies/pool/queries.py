"""Queries on the pool: possible batches, and ratings still wanted."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery

from core.database.prepared import Parameter, Select
from studies.definition import facts
from studies.definition.models import Study
from studies.pool.models import Cell, Item, ItemClip, Pool
from studies.rules.validity import batches_offered

# Clips may be added and withdrawn during collection; pages are up to this many seconds behind.
FRESH = 300


def batches(version_id: int, now: datetime) -> int:
    """Return the number of batches that traps, texts and protocol allow; one aggregate over the items every five
    minutes."""
    return _batches(version_id, int(now.timestamp() // FRESH))


@lru_cache(maxsize=256)
def _batches(version_id: int, stamp: int) -> int:
    protocol = facts.frozen(version_id).protocol
    is_test = Q(role="test")
    items = Item.objects.filter(study__versions=version_id, withdrawn_at=None).aggregate(
        tests=Count("pk", filter=is_test),
        texts=Count("text", filter=is_test, distinct=True),
        textless=Count("pk", filter=is_test & Q(text=None)),
        flawed=Count("pk", filter=Q(role="trap_flawed")),
        human=Count("pk", filter=Q(role="trap_human")),
    )
    met = items["tests"] if protocol.repeat_text == "crossed" else items["texts"] + items["textless"]
    by_traps = batches_offered(protocol, items["flawed"], items["human"])
    return min(by_traps, int(met) // protocol.tests_per_batch)


def test_cells(study_id: int, simulated: bool, now: datetime) -> int:
    """Count the cells of test clips of a study; one SELECT every five minutes."""
    return _test_cells(study_id, simulated, int(now.timestamp() // FRESH))


@lru_cache(maxsize=256)
def _test_cells(study_id: int, simulated: bool, stamp: int) -> int:
    return Cell.objects.filter(study=study_id, simulated=simulated, role="test").count()


OPEN = Pool.objects.filter(cell__role="test", taken__lt=F("wanted"))


def _first_open(simulated: bool) -> Select:
    rows = OPEN.filter(cell__study=Parameter("study"), cell__simulated=simulated)
    return Select(lambda: rows.values_list("pk")[:1])


# One seek per cell in the index of open places, which has no row of a full study.
FIRST_OPEN = {simulated: _first_open(simulated) for simulated in (False, True)}


def has_open_place(study_id: int, *, simulated: bool = False) -> bool:
    """True if a place of the study is open; one SELECT."""
    return bool(FIRST_OPEN[simulated](study=study_id))


def without_open_places(study_ids: Collection[int]) -> set[int]:
    """Return those of the studies without an open place for real raters; one SELECT."""
    # Not `Exists`: PostgreSQL would answer it by a join that reads every place.
    first = OPEN.filter(cell__study=OuterRef("pk"), cell__simulated=False).values("pk")[:1]
    studies = Study.objects.filter(pk__in=study_ids).annotate(open_place=Subquery(first))
    return set(studies.filter(open_place=None).values_list("pk", flat=True))


CHUNK = 2000


class Places(NamedTuple):
    """Number of ratings that an item wants."""

    pool: int
    system: str
    dimension: str
    wanted: int
    item: int


def with_looks() -> list[int]:
    """Return the running studies with interim analyses, which pilots don't have; one SELECT of the running studies."""
    rows = Study.objects.filter(pilot_of=None, state__in=[Study.State.LIVE, Study.State.PAUSED]).values_list(
        "pk", "draft"
    )
    return [pk for pk, draft in rows if draft.get("results", {}).get("looks")]


def closed() -> list[int]:
    """Return the studies that are closed, and the pilots of these; one SELECT."""
    is_closed = Q(pilot_of=None, state=Study.State.CLOSED) | Q(pilot_of__state=Study.State.CLOSED)
    return list(Study.objects.filter(is_closed).values_list("pk", flat=True))


def roles() -> QuerySet[Item, tuple[int, str]]:
    """Return the roles of items, by key."""
    return Item.objects.values_list("pk", "role")


def places(study_id: int, simulated: bool | None) -> Iterator[Places]:
    """Yield the test items that want ratings: of real raters, of simulated ones, or (None) of both."""
    rows = Pool.objects.filter(cell__study_id=study_id, cell__role="test", item__withdrawn_at=None, wanted__gt=0)
    if simulated is not None:
        rows = rows.filter(cell__simulated=simulated)
    listed = rows.values_list("pk", "cell__system__name", "cell__dimension", "wanted", "item_id")
    return (Places(*row) for row in listed.iterator(CHUNK))


def second_clips(study_id: int, role: str = "") -> dict[int, int]:
    """Return {item: its second clip} of a study whose items are pairs, or of those with this role."""
    rows = ItemClip.objects.filter(item__study=study_id, place=1)
    rows = rows.filter(item__role=role) if role else rows
    return dict(rows.values_list("item_id", "clip_id"))

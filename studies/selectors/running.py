"""Studies that collect answers now, those that do no more, and what they still want."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from studies.models import Pool, Study

CHUNK = 2000


class Places(NamedTuple):
    """How many ratings one item wants."""

    pool: int
    system: str
    dimension: str
    wanted: int
    item: int


def with_looks() -> list[int]:
    """Return the running studies that named looks before their launch; one SELECT of studies that run."""
    rows = Study.objects.filter(state__in=[Study.State.LIVE, Study.State.PAUSED]).values_list("pk", "draft")
    return [pk for pk, draft in rows if draft.get("results", {}).get("looks")]


def closed() -> list[int]:
    """Return the studies that are closed; one SELECT."""
    return list(Study.objects.filter(state=Study.State.CLOSED).values_list("pk", flat=True))


def places(study_id: int, simulated: bool | None) -> Iterator[Places]:
    """Yield each test item that wants ratings: those of real raters, of simulated ones, or (None) of both."""
    rows = Pool.objects.filter(cell__study_id=study_id, cell__role="test", item__withdrawn_at=None, wanted__gt=0)
    if simulated is not None:
        rows = rows.filter(cell__simulated=simulated)
    listed = rows.values_list("pk", "cell__system__name", "cell__dimension", "wanted", "item_id")
    return (Places(*row) for row in listed.iterator(CHUNK))

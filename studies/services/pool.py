"""Claim places, draw traps, and write how many are taken. The only code that changes `taken`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from random import Random
from typing import Any

from django.db.models import BooleanField, Case, F, FloatField, PositiveIntegerField, Value, When

from core.errors import Conflict
from core.prepared import Given, Select, Update, numbered, several
from studies.models import Cell, Pool
from studies.protocols.choosing import Candidate, choose, per_cell
from studies.protocols.parameters import Protocol
from studies.selectors import places
from studies.selectors.places import Which

ATTEMPTS = 4
TRAP_WINDOW = 64
CELLS = Select(
    lambda: Cell.objects.filter(
        study=Given("study"), simulated=Given("simulated", BooleanField()), role="test"
    ).values_list("pk")
)


class Contended(Conflict):
    """Others are just taking the places that are left; `place` is one of them."""

    code = "contended"

    def __init__(self, place: int) -> None:
        super().__init__("Others are just taking these places.")
        self.place = place


def claim(
    *,
    study_id: int,
    simulated: bool,
    protocol: Protocol,
    items: set[int],
    texts: set[int],
    rng: Random,
    wait_for: int | None = None,
) -> tuple[list[Candidate], set[int]]:
    """Take `tests_per_batch` places and return them with the keys of those that are surplus.

    Runs inside the caller's transaction. `items` and `texts` are what this rater has met. When too few places are
    open, the least-rated full items fill the batch as surplus; when those don't suffice either, `Conflict` is raised
    and the caller's transaction must roll back. So it must after `Contended`, and may then call again with the place
    to wait for: whoever waits holds no other place, so that nobody waits for each other.

    Where raters adjudicate (`most_ratings`) nothing is filled up: nobody is asked beyond those who are needed, and
    the last batches are short.
    """
    if wait_for is not None:
        lock([wait_for])
    cells = len(CELLS(study=study_id, simulated=simulated))
    won: list[Candidate] = []
    surplus: set[int] = set()
    distinct = protocol.repeat_text == "never"
    kinds, least = (("open",), 1) if protocol.most_ratings else (("open", "full"), protocol.tests_per_batch)
    for which in kinds:
        # What others are taking at this very moment; the next look leaves it to them.
        missed: list[Candidate] = []
        for attempt in range(ATTEMPTS):
            missing = protocol.tests_per_batch - len(won)
            if not missing:
                return won, surplus
            seen = places.candidates(
                study_id=study_id,
                simulated=simulated,
                role="test",
                limit=per_cell(missing, cells, attempt),
                items=items | {place.item for place in (*won, *missed)},
                texts=(texts | {place.text for place in won if place.text}) if distinct else set(),
                which="open" if which == "open" else "full",
            )
            if not seen:
                break
            picked = choose(seen, missing, rng, chosen=won, human_share=protocol.human_share, distinct_texts=distinct)
            taken = _take(picked, "open" if which == "open" else "full", rng)
            won += taken
            missed += [place for place in picked if place not in taken]
            if which == "full":
                surplus |= {place.pool for place in taken}
        if missed and len(won) < protocol.tests_per_batch:
            raise Contended(missed[0].pool)
    if len(won) < least:
        raise Conflict("There is nothing left for this person to rate.", code="nothing_left")
    return won, surplus


def _take(picked: list[Candidate], which: Which, rng: Random) -> list[Candidate]:
    """Lock the picked places that nobody else is taking, and take those still as they were seen."""
    locked = dict(_lock_free(len(picked), which)(**numbered("place", [place.pool for place in picked])))
    # A place that was taken between the look and the lock may be a level up: leave it for the next look.
    mine = [place for place in picked if locked.get(place.pool) == place.taken]
    if not mine:
        return []
    given = {**numbered("place", [place.pool for place in mine]), **numbered("shuffle", [rng.random() for _ in mine])}
    changed = _take_and_shuffle(len(mine), which)(**given)
    if changed != len(mine):
        raise Conflict("A place was taken twice.", code="pool_race")
    return mine


@lru_cache(maxsize=256)
def _lock_free(count: int, which: Which) -> Select:
    rows = Pool.objects.filter(pk__in=several("place", count)).order_by("pk")
    if which == "open":
        # A clip may have been withdrawn since the look.
        rows = rows.filter(taken__lt=F("wanted"))
    return Select(lambda: rows.select_for_update(skip_locked=True).values_list("pk", "taken"))


@lru_cache(maxsize=512)
def _take_and_shuffle(count: int, which: Which) -> Update:
    mine = several("place", count)
    rows = Pool.objects.filter(pk__in=mine)
    if which == "open":
        rows = rows.filter(taken__lt=F("wanted"))
    redrawn = several("shuffle", count, FloatField())
    cases = [When(pk=place, then=shuffle) for place, shuffle in zip(mine, redrawn, strict=True)]
    return Update(lambda: rows, taken=F("taken") + 1, shuffle=Case(*cases, default=F("shuffle")))


def draw_traps(*, study_id: int, simulated: bool, protocol: Protocol, items: set[int], rng: Random) -> list[Candidate]:
    """Draw the batch's traps among those that this rater has not met; raises `Conflict` when they don't suffice."""
    drawn: list[Candidate] = []
    for role, wanted in (("trap_flawed", protocol.flawed_traps), ("trap_human", protocol.human_traps)):
        if not wanted:
            continue
        where: dict[str, Any] = {"study_id": study_id, "simulated": simulated, "role": role, "items": items}
        found = places.candidates(**where, limit=2 * TRAP_WINDOW)
        if len(found) == 2 * TRAP_WINDOW:
            # There are more than were looked at: look from a random place on, unless that is too near to the end.
            further = places.candidates(**where, limit=TRAP_WINDOW, start=rng.random())
            found = further if len(further) == TRAP_WINDOW else found
        if len(found) < wanted:
            raise Conflict("There are no traps left that this person has not met.", code="nothing_left")
        drawn += rng.sample(found, wanted)
    return drawn


def lock(pools: Collection[int]) -> dict[int, int]:
    """Lock the rows in the order that every writer uses, and return how many ratings each wants."""
    rows = Pool.objects.filter(pk__in=pools).order_by("pk").select_for_update()
    return dict(rows.values_list("pk", "wanted"))


def set_taken(counts: Mapping[int, int]) -> None:
    """Write the recomputed numbers of taken places; the rows are locked by the caller."""
    if counts:
        cases = [When(pk=pool, then=Value(count)) for pool, count in counts.items()]
        Pool.objects.filter(pk__in=counts).update(
            taken=Case(*cases, default=F("taken"), output_field=PositiveIntegerField())
        )

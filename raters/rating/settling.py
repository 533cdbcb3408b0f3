"""Settling: the only code that decides which trials hold a place, which are usable, and how many an item wants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import BooleanField, Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet

from core.database.prepared import Insert, Parameter, Rows, Select, Update, numbered, several
from core.jobs import DONE, QUEUED, RUNNING
from raters.rating.models import OPEN, Batch, NewlyUsable, Rating, Trial, TrialClip, Verdict
from studies.definition import facts
from studies.definition.facts import Frozen
from studies.pool import claiming
from studies.pool.layout import want_each
from studies.rules.validity import raters_needed

Mark = tuple[int, int, str]


def reopen(*, pools: Mapping[int, int], frozen: Frozen) -> dict[int, int]:
    """Compute and store the number of ratings that these locked places want.

    `pools` maps them to the current number; a withdrawn place still wants none.
    """
    protocol = frozen.protocol
    if protocol.most_ratings is None:
        return dict(pools)
    sheets = _sheets(pools, frozen.kind.score.part)
    needed = {
        pool: raters_needed(sheets[pool], first=protocol.ratings_wanted, most=protocol.most_ratings) if wanted else 0
        for pool, wanted in pools.items()
    }
    want_each({pool: count for pool, count in needed.items() if count != pools[pool]})
    return needed


def _sheets(pools: Collection[int], part: str) -> defaultdict[int, list[frozenset[Mark]]]:
    """Return the usable answer sheets of each place, in the order of answering, without golden questions."""
    rows = Rating.objects.filter(trial__pool__in=pools, trial__usable=True, part=part)
    marks: defaultdict[int, set[Mark]] = defaultdict(set)
    for trial, question, place, code in rows.values_list("trial_id", "question_id", "place", "code"):
        marks[trial].add((question or 0, place or 0, code))
    sheets: defaultdict[int, list[frozenset[Mark]]] = defaultdict(list)
    answered = Trial.objects.filter(pk__in=marks).order_by("answered_at", "pk")
    for trial, pool in answered.values_list("pk", "pool_id"):
        sheets[pool or 0].append(frozenset(marks[trial]))
    return sheets


UNDECIDED = (OPEN, QUEUED, RUNNING)


@dataclass(frozen=True, slots=True)
class TrialStanding:
    """The status of a trial: whether it holds a place, and whether it may be analysed."""

    holds: bool
    usable: bool | None


def standing(
    *, answered: bool, skipped: bool, batch_state: str, excluded: bool, takes_place: bool, repeats: bool = False
) -> TrialStanding:
    """Decide the status of a trial (rules A1 and A6).

    Trials of undecided batches hold their places; in decided batches, only usable answers do. Skipped trials hold none.
    Answers that repeat an earlier one are never usable: they are only compared with it.
    """
    if skipped:
        return TrialStanding(holds=False, usable=None)
    if batch_state in UNDECIDED:
        return TrialStanding(holds=takes_place, usable=None)
    usable = answered and batch_state == DONE and not excluded and not repeats
    return TrialStanding(holds=takes_place and usable, usable=usable if answered else None)


class TrialState(NamedTuple):
    """The inputs of a trial's status, and its current status."""

    pk: int
    pool: int | None
    batch: int
    batch_state: str
    version: int
    answered_at: datetime | None
    skipped_at: datetime | None
    holds: bool
    usable: bool | None
    repeat: int
    # True if an active verdict excludes it.
    excluded: bool


def settle(*, batch_ids: Collection[int], locked: Collection[int] = ()) -> set[int]:
    """Recompute every trial of these batches and the places they take, inside the caller's transaction.

    Locks the batches not yet `locked`, because trials are written only under their batch's lock. Then locks the places
    of changed trials, by primary key; a valid batch changes none, since its trials held them before. Returns the
    batches with newly usable answers, which are also recorded for a worker. A handful of statements, for any number of
    batches.
    """
    if not batch_ids:
        return set()
    with transaction.atomic(savepoint=False):
        these, named = _of_batches(len(batch_ids)), numbered("batch", sorted(batch_ids))
        if not set(locked).issuperset(batch_ids):
            these.lock(**named)
        trials = these.trials(**named)
        adjudicated = {key for key in {t.version for t in trials} if facts.frozen(key).protocol.most_ratings}
        changed: defaultdict[TrialStanding, list[TrialState]] = defaultdict(list)
        for trial in trials:
            new = standing(
                answered=trial.answered_at is not None,
                skipped=trial.skipped_at is not None,
                batch_state=trial.batch_state,
                excluded=trial.excluded,
                takes_place=trial.pool is not None,
                repeats=trial.repeat > 0,
            )
            if (new.holds, new.usable) != (trial.holds, trial.usable):
                changed[new].append(trial)
        places = {
            trial.pool
            for new, group in changed.items()
            for trial in group
            if trial.pool is not None and (new.holds != trial.holds or trial.version in adjudicated)
        }
        wanted = claiming.lock(places)
        for new, group in changed.items():
            keys = numbered("trial", [trial.pk for trial in group])
            _mark(len(group))(holds=new.holds, usable=new.usable, **keys)
        turned = [(new, trial) for new, group in changed.items() for trial in group]
        newly_usable = {t.batch for new, t in turned if new.usable and not t.usable and t.pool is not None}
        for batch in sorted(newly_usable):
            ADD_NOTE(batch_id=batch)
        for version in sorted(adjudicated):
            wanted = reopen(pools=wanted, frozen=facts.frozen(version))
        claiming.recount(wanted, _holding)
        # Only assignment is capped: an answer that becomes usable after its place was refilled is marked surplus.
        regained = [trial.pk for new, trial in turned if new.holds and not trial.holds]
        if regained:
            Trial.objects.filter(pk__in=regained, pool__taken__gt=F("pool__wanted")).update(surplus=True)
    return newly_usable


ADD_NOTE = Insert(NewlyUsable)


class OfBatches(NamedTuple):
    """Prepared queries for a given number of batches."""

    lock: Select
    trials: Rows[TrialState]


@lru_cache(maxsize=64)
def _of_batches(count: int) -> OfBatches:
    def batches() -> list[Any]:
        return several("batch", count)

    def locked() -> QuerySet[Any, Any]:
        rows = Batch.objects.filter(pk__in=batches()).order_by("pk")
        return rows.select_for_update(no_key=True).values_list("pk")

    def trials() -> QuerySet[Any, Any]:
        return Trial.objects.filter(batch__pk__in=batches()).annotate(excluded=is_excluded()).order_by("pk")

    def is_excluded() -> ExpressionWrapper[Q]:
        active = Q(revoked_at=None, usable=False)
        on_batches = Verdict.objects.filter(active, batch__pk__in=batches()).values("batch")
        answers = Verdict.objects.filter(active, answer__trial__batch__pk__in=batches()).values("answer")
        sessions = Verdict.objects.filter(active, session__batches__pk__in=batches()).values("session")
        raters = Verdict.objects.filter(active, rater__sessions__batches__pk__in=batches()).values("rater")
        clips = Verdict.objects.filter(active, clip__isnull=False).values("clip")
        verdicts = (
            Q(batch__in=on_batches)
            | Q(pk__in=answers)
            | Q(session__in=sessions)
            | Q(rater__in=raters)
            | Q(Exists(TrialClip.objects.filter(trial=OuterRef("pk"), clip__in=clips)))
        )
        return ExpressionWrapper(verdicts, BooleanField())

    columns = {"pool": "pool_id", "batch": "batch_id", "batch_state": "batch__state", "version": "session__version_id"}
    return OfBatches(Select(locked), Rows(TrialState, trials, **columns))


@lru_cache(maxsize=64)
def _mark(count: int) -> Update:
    return Update(
        lambda: Trial.objects.filter(pk__in=several("trial", count)),
        holds=Parameter("holds", BooleanField()),
        usable=Parameter("usable", BooleanField(null=True)),
    )


def _holding() -> QuerySet[Trial]:
    """Return the trials that hold a place, as a subquery."""
    return Trial.objects.filter(pool=OuterRef("pk"), holds=True)

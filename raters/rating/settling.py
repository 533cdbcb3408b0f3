"""Settle: the only code that decides which trials hold a place, which are usable, and what an item wants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Q

from core.jobs import DONE, QUEUED, RUNNING
from raters.rating.models import OPEN, NewlyUsable, Rating, Trial, Verdict
from studies.definition import facts
from studies.definition.facts import Frozen
from studies.pool import claiming
from studies.pool.layout import want_each
from studies.rules.validity import raters_needed

Mark = tuple[int, int, str]


def reopen(*, pools: Mapping[int, int], frozen: Frozen) -> dict[int, int]:
    """Return how many ratings these locked places now need, and store changes.

    `pools` are the numbers wanted so far; a withdrawn place still wants none.
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
    """Return the usable sheets of each place in the order of answering; golden questions are no part of them."""
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
    """What a trial is worth: whether it holds a place, and whether it may be analysed."""

    holds: bool
    usable: bool | None


def standing(*, answered: bool, skipped: bool, batch_state: str, excluded: bool, takes_place: bool) -> TrialStanding:
    """Decide one trial (rules A1 and A6): undecided batches hold their places, decided ones only by usable answers.

    What was skipped holds none from then on.
    """
    if skipped:
        return TrialStanding(holds=False, usable=None)
    if batch_state in UNDECIDED:
        return TrialStanding(holds=takes_place, usable=None)
    usable = answered and batch_state == DONE and not excluded
    return TrialStanding(holds=takes_place and usable, usable=usable if answered else None)


def settle(*, batch_ids: Collection[int]) -> None:
    """Recompute every trial of these batches and the places they take, inside the caller's transaction.

    Pool rows are locked in the order of their keys, as everywhere. Costs a handful of statements, whatever the
    number of batches.
    """
    if not batch_ids:
        return
    with transaction.atomic(savepoint=False):
        pools = Trial.objects.filter(batch__in=batch_ids, pool__isnull=False).values_list("pool_id", flat=True)
        wanted = claiming.lock(set(pools))
        trials = list(Trial.objects.filter(batch__in=batch_ids).select_related("batch__session").order_by("pk"))
        excluded = _excluded(batch_ids)
        regained: list[Trial] = []
        newly_usable: set[int] = set()
        changed: list[Trial] = []
        for trial in trials:
            new = standing(
                answered=trial.answered_at is not None,
                skipped=trial.skipped_at is not None,
                batch_state=trial.batch.state,
                excluded=trial.pk in excluded,
                takes_place=trial.pool_id is not None,
            )
            if (new.holds, new.usable) != (trial.holds, trial.usable):
                if new.holds and not trial.holds:
                    regained.append(trial)
                if new.usable and not trial.usable and trial.pool_id is not None:
                    newly_usable.add(trial.batch_id)
                trial.holds, trial.usable = new.holds, new.usable
                changed.append(trial)
        Trial.objects.bulk_update(changed, ["holds", "usable"], batch_size=500)
        NewlyUsable.objects.bulk_create(NewlyUsable(batch_id=batch) for batch in sorted(newly_usable))
        for version in {trial.batch.session.version_id for trial in trials}:
            wanted = reopen(pools=wanted, frozen=facts.frozen(version))
        held = Trial.objects.filter(pool__in=wanted, holds=True).values_list("pool").annotate(count=Count("pk"))
        counts = {**dict.fromkeys(wanted, 0), **dict(held)}
        claiming.set_taken(counts)
        # Only assignment is capped: an answer that becomes usable after its place was refilled is marked surplus.
        late = [trial.pk for trial in regained if counts[trial.pool_id or 0] > wanted[trial.pool_id or 0]]
        Trial.objects.filter(pk__in=late).update(surplus=True)


def _excluded(batch_ids: Collection[int]) -> set[int]:
    """Return the trials of these batches that an active verdict excludes."""
    active = Q(revoked_at=None, usable=False)
    batches = Verdict.objects.filter(active, batch__in=batch_ids).values("batch")
    answers = Verdict.objects.filter(active, answer__trial__batch__in=batch_ids).values("answer")
    mine = Trial.objects.filter(batch__in=batch_ids)
    sessions = Verdict.objects.filter(active, session__batches__in=batch_ids).values("session")
    raters = Verdict.objects.filter(active, rater__sessions__batches__in=batch_ids).values("rater")
    clips = Verdict.objects.filter(active, clip__isnull=False).values("clip")
    trials = mine.filter(
        Q(batch__in=batches)
        | Q(pk__in=answers)
        | Q(session__in=sessions)
        | Q(rater__in=raters)
        | Q(clips__clip__in=clips)
    )
    return set(trials.values_list("pk", flat=True))

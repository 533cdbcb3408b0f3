"""Batches: open them, renew or expire their leases, validate them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from random import Random
from typing import Any, NamedTuple, TypeVar

from django.db import transaction
from django.utils.translation import gettext as _

from core import jobs
from core import rng as random
from core.database.prepared import Insert, Pairs, Parameter, Rows, Select, commit_at_once
from core.errors import Conflict
from raters.people import queries as people_queries
from raters.people.models import Rater, Session
from raters.rating import drawing, hooks, trust
from raters.rating.models import EXPIRED, OPEN, Batch, Trial, TrialClip, Verdict
from raters.rating.progress import ClipSlot, TrialSlot, Window
from raters.rating.settling import settle
from studies.definition import facts
from studies.definition.facts import Frozen
from studies.pool import claiming
from studies.rules import validity
from studies.rules.parameters import Protocol
from studies.task_types.base import AnswerRow

R = TypeVar("R")
# Renewing only after a minute saves a write on most answers.
RENEW_AFTER = timedelta(minutes=1)
# Each try waits for another claim to end, so this many people may claim the same places at once.
TRIES = 50

LOCK_RATER = Select(
    lambda: Rater.objects.select_for_update(no_key=True).filter(pk=Parameter("rater")).values_list("pk")
)
ADD_BATCH = Insert(Batch)
ADD_TRIALS = Insert(Trial)
ADD_CLIPS = Insert(TrialClip)
MET = Select(lambda: Trial.objects.filter(rater=Parameter("rater")).values_list("item_id", "text_id"))
ADD_VERDICT = Insert(Verdict)


class TrapRow(NamedTuple):
    """A trap in a batch; with separate passes, one of its trials."""

    item: int
    role: str
    skipped_at: datetime | None


# One row for each rating of each trap; a trial without ratings has one row with a null part.
TRAPS = Pairs(
    (TrapRow, {"item": "item_id", "role": "item__role"}),
    (
        AnswerRow,
        {field: f"ratings__{field}" for field in ("part", "code", "value", "place", "note")}
        | {"question": "ratings__question_id"},
    ),
    lambda: (
        Trial.objects.filter(batch=Parameter("batch"), pool=None)
        .exclude(item__role="test")
        .order_by("item_id", "position", "ratings__pk")
    ),
)


def lease(protocol: Protocol, now: datetime) -> datetime:
    """Return when the lease of an idle rater ends."""
    return now + timedelta(minutes=protocol.lease_minutes)


class OpenedBatch(NamedTuple):
    """A new batch; its first trial is shown."""

    number: int
    size: int
    window: Window


class EarlierBatch(NamedTuple):
    """Another batch of the same session; `valid` is None until it is validated."""

    valid: bool | None
    state: str

    @property
    def is_unfinished(self) -> bool:
        return self.state in {OPEN, EXPIRED}


EARLIER = Rows(EarlierBatch, lambda: Batch.objects.filter(session=Parameter("session")))


def earlier_batches(session: Session) -> list[EarlierBatch]:
    """Return all batches of a session; one SELECT."""
    return EARLIER(session=session.pk)


def in_turn(work: Callable[[int | None], R]) -> R:
    """Run `work`, which may open a batch, in a transaction; retry it while others claim the same places.

    `work` gets the place to wait for (see `claiming.claim`). Raises `Conflict` after `TRIES` tries.
    """
    wait_for: int | None = None
    for _attempt in range(TRIES):
        try:
            with transaction.atomic():
                return work(wait_for)
        except claiming.Contended as contended:
            wait_for = contended.place
    raise Conflict(_("Many people are starting at once. Please load this page again in a moment."), code="busy")


def open_next(
    *, session: Session, earlier: Sequence[EarlierBatch], now: datetime, rng: Random, wait_for: int | None = None
) -> OpenedBatch | None:
    """Claim a batch for a locked session and show its first trial; None if nothing is left for this rater.

    Call it through `in_turn`, because others may claim the same places.
    """
    frozen = facts.frozen(session.version_id)
    # Two sessions of one person must not get the same clip: the second waits here for the first.
    LOCK_RATER(rater=session.rater_id)
    if _is_over(session, frozen.protocol, earlier):
        return None
    # A preview opened by an unsigned link must respect the study's state, as a rater must.
    if not session.simulated or (session.preview and session.proof == Session.Proof.UNSIGNED):
        study = facts.by_id(session.study_id)
        if study.is_closed:
            return None
        if not study.is_live:
            raise Conflict(_("This study is paused. What you saved is kept; come back later."), code="paused")
    met = MET(rater=session.rater_id)
    items = {item for item, _ in met}
    texts = {text for item, text in met if text is not None}
    try:
        return _open(session, len(earlier) + 1, items, texts, now, rng, wait_for)
    except Conflict as conflict:
        if conflict.code == "nothing_left":
            return None
        raise


def has_next_batch(*, session: Session, now: datetime) -> bool:
    """True if a batch could be opened now. It opens one and rolls back; run it inside `in_turn`."""
    with transaction.atomic():
        earlier, rng = earlier_batches(session), random.seeded(session.pk)
        opened = open_next(session=session, earlier=earlier, now=now, rng=rng)
        transaction.set_rollback(True)
    return opened is not None


def is_over(session: Session) -> bool:
    """True if a session gets no more batches, even if places are open."""
    return _is_over(session, facts.frozen(session.version_id).protocol, earlier_batches(session))


def _is_over(session: Session, protocol: Protocol, earlier: Sequence[EarlierBatch]) -> bool:
    if earlier and trust.is_lost(session=session):
        return True
    invalid = sum(batch.valid is False for batch in earlier)
    return len(earlier) >= protocol.batches_per_session or invalid >= (protocol.stop_after_invalid or len(earlier) + 1)


def _open(
    session: Session,
    number: int,
    items: set[int],
    texts: set[int],
    now: datetime,
    rng: Random,
    wait_for: int | None,
) -> OpenedBatch:
    frozen = facts.frozen(session.version_id)
    protocol = frozen.protocol
    where: dict[str, Any] = {"study_id": session.study_id, "simulated": session.simulated, "protocol": protocol}
    traps = claiming.draw_traps(**where, items=items, rng=rng)
    # Simulated raters may get surplus places only, so that a simulation shows how the study continues.
    is_new = number == 1 and not session.simulated
    tests, surplus = claiming.claim(
        **where, items=items, texts=texts, rng=rng, now=now, is_new=is_new, wait_for=wait_for
    )
    # Faster: a lost new batch does no harm, and others wait for its locked places until the commit.
    commit_at_once()
    places = {place.item: place for place in (*tests, *traps)}
    order = drawing.in_order(frozen, [place.item for place in tests], [place.item for place in traps], rng)
    new = {"session_id": session.pk, "number": number, "size": len(order)}
    [batch] = ADD_BATCH.many([{**new, "state": OPEN, "opened_at": now, "lease_until": lease(protocol, now)}])
    drawn = drawing.draw(session=session, planned=order, rng=rng)
    rows = []
    for position, (planned, trial) in enumerate(zip(order, drawn, strict=True), start=1):
        place = places[planned.item]
        takes_place = place.role == "test" and planned.is_first
        rows.append(
            {
                "batch_id": batch,
                "session_id": session.pk,
                "rater_id": session.rater_id,
                "item_id": place.item,
                "repeat": planned.repeat,
                "pass_number": planned.pass_number,
                "pool_id": place.pool if takes_place else None,
                "text_id": place.text if takes_place else None,
                "position": position,
                "token": random.token(),
                "shown": trial.shown,
                "served_at": now if position == 1 else None,
                "holds": takes_place,
                "surplus": takes_place and place.pool in surplus,
            }
        )
    slots = [
        TrialSlot(
            key,
            row["position"],
            row["token"],
            row["shown"],
            row["served_at"],
            [
                ClipSlot.unheard(place, clip.clip, random.token(), clip.seconds)
                for place, clip in enumerate(trial.clips)
            ],
        )
        for key, row, trial in zip(ADD_TRIALS.many(rows), rows, drawn, strict=True)
    ]
    ADD_CLIPS.many(
        [
            {"trial_id": slot.trial, "place": clip.place, "clip_id": clip.clip, "key": clip.key}
            for slot in slots
            for clip in slot.clips
        ]
    )
    return OpenedBatch(number, len(order), Window(tuple(slots)))


def needs_renewal(*, lease_until: datetime | None, protocol: Protocol, now: datetime) -> bool:
    """True if the lease of an open batch should be renewed."""
    return lease_until is None or lease_until < lease(protocol, now) - RENEW_AFTER


def renew_lease(*, batch: int, state: str, lease_until: datetime | None, protocol: Protocol, now: datetime) -> None:
    """Renew the lease of a working rater. An expired batch is reopened; its answers are late from now on."""
    until = lease(protocol, now)
    if state == EXPIRED:
        if Batch.objects.filter(pk=batch, state=EXPIRED).update(state=OPEN, lease_until=until):
            settle(batch_ids=[batch])
    elif needs_renewal(lease_until=lease_until, protocol=protocol, now=now):
        Batch.objects.filter(pk=batch, state=OPEN).update(lease_until=until)


def expire_idle(*, now: datetime, limit: int = 500) -> int:
    """Release the places of idle raters; return the number of expired batches."""
    # Simulated raters have their own clock.
    idle = (
        Batch.objects.filter(state=OPEN, lease_until__lt=now, session__simulated=False)
        .order_by("pk")
        .values_list("pk", flat=True)[:limit]
    )
    expired = 0
    for pk in list(idle):
        with transaction.atomic():
            # The rater may have answered since the query, so the lease is checked again under the lock.
            if Batch.objects.filter(pk=pk, state=OPEN, lease_until__lt=now).update(
                state=EXPIRED, expired_at=now, lease_until=None
            ):
                settle(batch_ids=[pk])
                expired += 1
    return expired


def validate(*, pk: int, now: datetime) -> bool | None:
    """Validate a full batch by its traps; None if another worker has it, or too few traps could be played."""
    batch = jobs.claim(Batch, pk, now)
    if batch is None:
        return None
    session = people_queries.session(batch.session_id)
    frozen = facts.frozen(session.version_id)
    decision = validity.decide(_traps(batch.pk, frozen), frozen.protocol)
    counts = {
        "flawed_right": decision.flawed_right,
        "flawed": decision.flawed,
        "human_right": decision.human_right,
        "humans": decision.humans,
    }
    with transaction.atomic():
        # If a crash loses this commit, the batch is validated again with the same result.
        commit_at_once()
        # All writers lock sessions before batches; another batch of this person may be validated now.
        trust.lock(session)
        if not jobs.finish(batch, now, valid=decision.valid, trap_counts=counts):
            return None
        if not decision.valid:
            rule = validity.MISSING if decision.valid is None else validity.RULE
            ADD_VERDICT(
                batch_id=batch.pk, rule=rule, rule_version=validity.VERSION, usable=False, at=now, detail=counts
            )
        judged = trust.judge(session=session, now=now)
        newly_usable = settle(batch_ids={batch.pk, *judged}, locked=[batch.pk])
    # After the commit: an error here must not undo the validation. The periodic job retries what is left.
    for take_up in hooks.newly_usable if newly_usable else ():
        take_up(batch_ids=newly_usable)
    return decision.valid


def _traps(batch: int, frozen: Frozen) -> list[validity.TrapResult]:
    """Return the results of a batch's traps; one SELECT. The rows of separate passes are judged together."""
    results = []
    for _item, trap in groupby(TRAPS(batch=batch), lambda row: row[0].item):
        trials, answers = zip(*trap, strict=True)
        rows = [row for row in answers if row.part is not None]
        is_judged = bool(rows) and frozen.kind.is_judged(frozen.params, rows)
        is_missing = any(trial.skipped_at for trial in trials) and not is_judged
        role = trials[0].role
        results.append(validity.TrapResult(role, None if is_missing else frozen.kind.passes(frozen.params, role, rows)))
    return results

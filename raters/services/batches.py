"""A batch from its opening to its validation."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from core import jobs
from core import rng as random
from core.errors import Conflict
from core.prepared import Given, Select
from raters.models import Batch, Rater, Session, Trial, TrialClip, Verdict
from raters.models.trials import EXPIRED, OPEN
from raters.services.settling import settle
from studies.protocols import validity
from studies.protocols.choosing import Candidate
from studies.protocols.parameters import Protocol
from studies.selectors import facts, places
from studies.services import pool
from studies.task_types.base import Item, Row

# The lease is renewed when it has lost a minute, not at every answer: one write less on the hot path.
RENEW_AFTER = timedelta(minutes=1)
# Each try waits for somebody else's claim to end, so this many people may reach for the same places at once.
TRIES = 50

LOCK_RATER = Select(lambda: Rater.objects.select_for_update(no_key=True).filter(pk=Given("rater")).values_list("pk"))
EARLIER = Select(lambda: Batch.objects.filter(session=Given("session")).values_list("valid"))
MET = Select(lambda: Trial.objects.filter(rater=Given("rater")).values_list("item_id", "text_id"))


def lease(protocol: Protocol, now: datetime) -> datetime:
    """Return until when an idle rater keeps their places."""
    return now + timedelta(minutes=protocol.lease_minutes)


def open_next(*, session: Session, now: datetime, rng: Random) -> Batch | None:
    """Claim a batch for a locked session; None when this person has nothing left to rate."""
    frozen = facts.frozen(session.version_id)
    protocol = frozen.protocol
    # Somebody with two sessions at once still meets everything once: the second waits here for the first.
    LOCK_RATER(rater=session.rater_id)
    earlier = EARLIER(session=session.pk)
    invalid = sum(valid is False for (valid,) in earlier)
    if len(earlier) >= protocol.batches_per_session or invalid >= (protocol.stop_after_invalid or len(earlier) + 1):
        return None
    if not session.simulated:
        study = facts.by_id(session.study_id)
        if study.is_closed:
            return None
        if not study.is_live:
            raise Conflict(_("This study is paused. What you saved is kept; come back later."), code="paused")
    met = MET(rater=session.rater_id)
    items = {item for item, _ in met}
    texts = {text for item, text in met if text is not None}
    wait_for: int | None = None
    for _attempt in range(TRIES):
        try:
            with transaction.atomic():
                return _open(session, len(earlier) + 1, items, texts, now, rng, wait_for)
        except pool.Contended as contended:
            wait_for = contended.place
        except Conflict as conflict:
            if conflict.code == "nothing_left":
                return None
            raise
    raise Conflict("Many people are starting at once. Please load this page again in a moment.", code="busy")


def _open(
    session: Session,
    number: int,
    items: set[int],
    texts: set[int],
    now: datetime,
    rng: Random,
    wait_for: int | None,
) -> Batch:
    """Claim, shuffle and write one batch."""
    frozen = facts.frozen(session.version_id)
    protocol = frozen.protocol
    where: dict[str, Any] = {"study_id": session.study_id, "simulated": session.simulated, "protocol": protocol}
    traps = pool.draw_traps(**where, items=items, rng=rng)
    tests, surplus = pool.claim(**where, items=items, texts=texts, rng=rng, wait_for=wait_for)
    roles = {place.pool: role for place, role in _roles(traps, protocol)}
    order = [*tests, *traps]
    rng.shuffle(order)
    batch = Batch.objects.create(
        session=session,
        number=number,
        size=len(order),
        state=OPEN,
        opened_at=now,
        lease_until=lease(protocol, now),
    )
    clips = places.clips_of([place.item for place in order])
    trials = []
    for position, place in enumerate(order, start=1):
        role = roles.get(place.pool, "test")
        item = Item(role=role, places=len(clips[place.item]))
        trials.append(
            Trial(
                batch=batch,
                session=session,
                rater_id=session.rater_id,
                item_id=place.item,
                pool_id=place.pool if role == "test" else None,
                text_id=place.text if role == "test" else None,
                position=position,
                token=random.token(),
                shown=frozen.kind.draw(frozen.params, item, rng).model_dump(mode="json"),
                holds=role == "test",
                surplus=place.pool in surplus,
            )
        )
    Trial.objects.bulk_create(trials)
    TrialClip.objects.bulk_create(
        TrialClip(trial=trial, place=place, clip_id=clip, key=random.token())
        for trial in trials
        for place, clip in clips[trial.item_id]
    )
    return batch


def _roles(traps: list[Candidate], protocol: Protocol) -> list[tuple[Candidate, str]]:
    """Return each drawn trap with its role: `draw_traps` lists the flawed ones first."""
    return [
        (place, "trap_flawed" if index < protocol.flawed_traps else "trap_human") for index, place in enumerate(traps)
    ]


def keep(*, batch: int, state: str, lease_until: datetime | None, protocol: Protocol, now: datetime) -> None:
    """Renew the lease of a working rater; an expired batch is taken up again, and its answers are late from now on."""
    until = lease(protocol, now)
    if state == EXPIRED:
        if Batch.objects.filter(pk=batch, state=EXPIRED).update(state=OPEN, lease_until=until):
            settle(batch_ids=[batch])
    elif lease_until is None or lease_until < until - RENEW_AFTER:
        Batch.objects.filter(pk=batch, state=OPEN).update(lease_until=until)


def expire_idle(*, now: datetime, limit: int = 500) -> int:
    """Give back the places of raters who left; return how many batches that were."""
    # Simulated raters keep a clock of their own.
    idle = (
        Batch.objects.filter(state=OPEN, lease_until__lt=now, session__simulated=False)
        .order_by("pk")
        .values_list("pk", flat=True)[:limit]
    )
    expired = 0
    for pk in list(idle):
        with transaction.atomic():
            # The rater may have answered since the look: the lease decides, once more, under the lock.
            if Batch.objects.filter(pk=pk, state=OPEN, lease_until__lt=now).update(
                state=EXPIRED, expired_at=now, lease_until=None
            ):
                settle(batch_ids=[pk])
                expired += 1
    return expired


def rows_of(trial: Trial) -> list[Row]:
    """Return a trial's stored rows as its task type made them."""
    return [Row(row.part, row.code, row.value) for row in trial.ratings.all()]


def validate(*, pk: int, now: datetime) -> bool | None:
    """Decide a full batch once, by its traps; None when another worker has it or it is decided."""
    batch = jobs.claim(Batch, pk, now)
    if batch is None:
        return None
    session = Session.objects.get(pk=batch.session_id)
    frozen = facts.frozen(session.version_id)
    traps = Trial.objects.filter(batch=batch, pool=None).select_related("item").prefetch_related("ratings")
    results = [
        validity.TrapResult(trial.item.role, frozen.kind.passes(frozen.params, trial.item.role, rows_of(trial)))
        for trial in traps
    ]
    decision = validity.decide(results, frozen.protocol)
    counts = {
        "flawed_right": decision.flawed_right,
        "flawed": decision.flawed,
        "human_right": decision.human_right,
        "humans": decision.humans,
    }
    with transaction.atomic():
        if not jobs.finish(batch, now, valid=decision.valid, trap_counts=counts):
            return None
        if not decision.valid:
            Verdict.objects.create(
                batch=batch, rule=validity.RULE, rule_version=validity.VERSION, usable=False, at=now, detail=counts
            )
        settle(batch_ids=[batch.pk])
    return decision.valid

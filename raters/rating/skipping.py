"""Skip clips that can't be played: close the trial without an answer, release its place, and record the clip."""

from __future__ import annotations

from datetime import datetime
from random import Random
from typing import NamedTuple

from django.db import transaction
from django.db.models import Count, Q
from django.utils.translation import gettext as _

from core.errors import Conflict, NotFound
from core.files import storage
from core.jobs import QUEUED
from raters.people.models import OVER, Session
from raters.rating import finishing, trials
from raters.rating.models import CLOSED, EXPIRED, OPEN, Batch, ClipFailure, Trial, TrialClip
from raters.rating.progress import Progress
from raters.rating.settling import settle
from studies.definition import facts

# Proposal: with this many unplayable clips, the rater's device or connection is unsuitable.
MOST = 5


def skip(*, session_id: int, key: str, tab: str, now: datetime, rng: Random) -> tuple[Progress, int | None]:
    """Skip the current trial because its clip with this key failed; return the next page state.

    Also returns the batch that is full now, if any, for the worker. Repeats change nothing. Skipping never counts
    against the rater; after too many, the session ends as a technical failure. Raises `Conflict` while the store is
    down, because the clip itself may be fine.
    """
    _require_store(session_id=session_id, key=key)
    with transaction.atomic():
        filled = _skip(session_id=session_id, key=key, tab=tab, now=now)
    return trials.resume(session_id=session_id, tab=tab, now=now, rng=rng), filled


def _require_store(*, session_id: int, key: str) -> None:
    """Raise `Conflict` if the store can't provide an unsent clip. Outside transactions, because a store may be slow."""
    unsent = TrialClip.objects.filter(key=key, trial__session=session_id, trial__skipped_at=None, fetched_at=None)
    for name, size in unsent.values_list("clip__rendition", "clip__rendition_bytes"):
        try:
            storage.open_sound(name, size).close()
        except FileNotFoundError:
            return
        except OSError as error:
            raise Conflict(_("Clips can’t be loaded at the moment. Please try again soon."), code="busy") from error


def _skip(*, session_id: int, key: str, tab: str, now: datetime) -> int | None:
    session = finishing.locked(session_id)
    if session.tab != tab:
        raise trials.other_tab()
    failed = TrialClip.objects.filter(key=key, trial__session=session_id).first()
    if failed is None:
        raise NotFound(_("There is no such clip."))
    # Trials are only written under the lock of their batch; an answer may arrive at the same time.
    batch = Batch.objects.select_for_update(of=("self",)).get(trials__clips=failed)
    trial = Trial.objects.get(pk=failed.trial_id)
    if session.step in OVER or trial.is_closed or batch.state == CLOSED:
        return None
    if trial.served_at is None:
        raise Conflict(_("Another clip comes first."), code="not_current")
    trial.skipped_at = now
    trial.save(update_fields=["skipped_at"])
    ClipFailure.objects.create(trial=trial, clip_id=failed.clip_id, sent_whole=failed.fetched_at is not None, at=now)
    is_full = not Trial.objects.filter(batch=batch, answered_at=None, skipped_at=None).exists()
    if is_full:
        # Before the session may end, because that closes unfinished batches.
        Batch.objects.filter(pk=batch.pk).update(state=QUEUED, queued_at=now, lease_until=None)
    settle(batch_ids=[batch.pk])
    is_last = is_full and batch.number >= facts.frozen(session.version_id).protocol.batches_per_session
    skipped = Trial.objects.filter(batch__session=session_id, skipped_at__isnull=False)
    # With its last batch full, the session is complete. An item skipped in several passes counts once.
    if not is_last and skipped.values("item").distinct().count() >= MOST:
        finishing.finish(session, outcome=Session.Outcome.TECHNICAL_FAILURE, now=now)
    return batch.pk if is_full else None


@transaction.atomic
def pass_over(*, session_id: int, now: datetime, whole_batch: bool = False) -> int | None:
    """Close the current trial of a preview, or the rest of its batch, without an answer.

    Returns the batch that is full now, if any, for the worker.
    """
    session = finishing.locked(session_id)
    open_batches = Batch.objects.select_for_update(of=("self",)).filter(session=session, state__in=[OPEN, EXPIRED])
    batch = open_batches.order_by("number").first()
    if session.step != Session.Step.RATING or batch is None:
        return None
    left = Trial.objects.filter(batch=batch, answered_at=None, skipped_at=None).order_by("position")
    keys = list(left.values_list("pk", flat=True))
    closing = keys if whole_batch else keys[:1]
    Trial.objects.filter(pk__in=closing).update(skipped_at=now)
    is_full = len(closing) == len(keys)
    if is_full:
        Batch.objects.filter(pk=batch.pk).update(state=QUEUED, queued_at=now, lease_until=None)
    settle(batch_ids=[batch.pk])
    return batch.pk if is_full else None


# Proposal: one report may be the rater's connection; two people point to the clip.
PEOPLE = 2


class UnplayableClip(NamedTuple):
    """A clip that several people could not play; `sent_whole` counts those who had received the whole file."""

    file: str
    people: int
    sent_whole: int


def failing(study_id: int) -> list[UnplayableClip]:
    """Return the clips in use that several people could not play, worst first; one SELECT."""
    real = ClipFailure.objects.filter(clip__study=study_id, clip__withdrawn_at=None, trial__session__simulated=False)
    counted = real.values("clip__file").annotate(
        people=Count("trial__rater", distinct=True),
        whole=Count("trial__rater", distinct=True, filter=Q(sent_whole=True)),
    )
    rows = counted.filter(people__gte=PEOPLE).order_by("-people", "clip__file")
    return [UnplayableClip(*row) for row in rows.values_list("clip__file", "people", "whole")]

"""Platform studies: link them to ours, and read their submissions every few minutes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Exists, F, Q
from django.utils.translation import gettext as _

from core import jobs
from core.errors import Conflict, DomainError, Invalid
from raters import sources
from raters.payments import payment_lists
from raters.payments.models import ERASED, Payment, PaymentList, PlatformStudy, Submission
from raters.payments.submissions import store
from raters.people.models import Session
from raters.sources.payment_platform import ID, PaymentClient, PlatformRefusal, SubmissionRecord

if TYPE_CHECKING:
    from accounts.users.models import User

Clock = Callable[[], datetime]
EVERY = timedelta(minutes=2)
# Wait after a failed reading; users can request one earlier.
REST = timedelta(minutes=5)
# Submissions read individually for their bonuses, per reading.
LOOKS = 60
LIVE = ("live", "paused")

logger = logging.getLogger(__name__)


@transaction.atomic
def link(*, study_id: int, source: str, ext_study: str, by: User, now: datetime) -> PlatformStudy:
    """Link a platform study, unless linked already. Raises `Conflict` if it belongs to another study here."""
    platform, name = sources.payment_platform(source), ext_study.strip()
    if not ID.fullmatch(name):
        text = _("This is not a study ID. Copy it from the study’s address at {platform}: letters and digits only.")
        message = text.format(platform=platform.name)
        raise Invalid(message, {"ext_study": message})
    if not PlatformStudy.objects.filter(source=source, ext_study=name).exists():
        _refuse_elsewhere(study_id, source, name)
    # With a token, start the first reading at once; without, lists are uploaded.
    begins = jobs.QUEUED if platform.is_configured else jobs.DONE
    row, _created = PlatformStudy.objects.get_or_create(
        source=source,
        ext_study=name,
        defaults={
            "study_id": study_id,
            "added_at": now,
            "added_by": by,
            "state": begins,
            "queued_at": now,
            "ended_at": now,
        },
    )
    if row.study_id != study_id:
        text = _("That study at {platform} is already linked to another study here.")
        raise Conflict(text.format(platform=platform.name), code="linked_elsewhere")
    return row


def _refuse_elsewhere(study_id: int, source: str, name: str) -> None:
    """Raise `Conflict` if most of its people came to another study here. Links aren't signed, so a few may be fake."""
    sessions = Session.objects.filter(source=source, ext_study=name, simulated=False)
    if sessions.exclude(study=study_id).count() > sessions.filter(study=study_id).count():
        text = _("Raters from that study at {platform} took part in another study here. Link it there.")
        raise Conflict(text.format(platform=sources.payment_platform(source).name), code="linked_elsewhere")


@transaction.atomic
def unlink(*, platform: PlatformStudy) -> None:
    """Delete the link to a platform study and its submissions; raises `Conflict` if payments were confirmed."""
    if PaymentList.objects.filter(platform=platform, confirmed_at__isnull=False).exists():
        raise Conflict(
            _("This study can’t be unlinked: payments were made through it, and their records are kept."), code="paid"
        )
    PaymentList.objects.filter(platform=platform).delete()
    platform.delete()


def queue_due(*, now: datetime) -> int:
    """Queue a reading of every platform study that is due; return their number."""
    configured = [name for name, platform in sources.payment_platforms().items() if platform.is_configured]
    if not configured:
        return 0
    over = Q(state=jobs.DONE, ended_at__lt=now - EVERY) | Q(state=jobs.FAILED, ended_at__lt=now - REST)
    due = PlatformStudy.objects.filter(over, source__in=configured, study__state__in=LIVE)
    return due.update(state=jobs.QUEUED, queued_at=now, tries=0)


@transaction.atomic
def request_reading(*, platform_id: int, now: datetime) -> bool:
    """Queue a reading at once; False if one is queued or running."""
    # A running reading may already have passed the rows in question, so another one follows it.
    PlatformStudy.objects.filter(pk=platform_id, state=jobs.RUNNING).update(queued_at=now)
    over = PlatformStudy.objects.filter(pk=platform_id, state__in=[jobs.DONE, jobs.FAILED])
    return bool(over.update(state=jobs.QUEUED, queued_at=now, tries=0))


def read(*, pk: int, clock: Clock, client: PaymentClient | None = None) -> bool:
    """Read all submissions of a platform study; False if there was nothing to do or it failed."""
    row = jobs.claim(PlatformStudy, pk, clock())
    if row is None:
        return False
    try:
        return _read(row, clock, client)
    finally:
        over = PlatformStudy.objects.filter(pk=pk, state__in=[jobs.DONE, jobs.FAILED])
        over.filter(queued_at__gt=row.queued_at or row.added_at).update(state=jobs.QUEUED, tries=0)


def _read(row: PlatformStudy, clock: Clock, client: PaymentClient | None) -> bool:
    try:
        with closing(client or row.payment_platform.client()) as connected:
            record = connected.study(row.ext_study)
            number = store(platform=row, records=_listed(row, connected, clock), now=clock())
            _read_bonuses(row, connected, clock)
    except JobTakenOver:
        return False
    except DomainError as error:
        logger.warning("The submissions of %s could not be read: %s", row, error.message)
        jobs.finish(row, clock(), error=error.message)
        return False
    except Exception:
        jobs.finish(row, clock(), error=_("Something went wrong. See the server’s log for details."))
        raise
    _settle_unclear(row, clock())
    return jobs.finish(
        row,
        clock(),
        read_at=clock(),
        done=number,
        total=number,
        status=record.status[:30],
        reward=record.reward,
        currency=record.currency[:3],
        minutes=record.minutes,
        places=record.places,
    )


class JobTakenOver(Exception):
    """Another worker has claimed this job."""


def _listed(row: PlatformStudy, client: PaymentClient, clock: Clock) -> Iterator[SubmissionRecord]:
    for number, record in enumerate(client.submissions(row.ext_study), start=1):
        if number % 100 == 0 and not jobs.renew(row, clock(), done=number, total=0):
            raise JobTakenOver
        yield record


def _read_bonuses(row: PlatformStudy, client: PaymentClient, clock: Clock) -> None:
    """Read the bonuses of submissions paid since the last reading."""
    waiting = Submission.objects.filter(platform=row, unread=True).exclude(ext_session__startswith=ERASED)
    # Submissions that the platform no longer lists come last; among the others, those owed pay come first.
    owed_first = F("session__payable").desc(nulls_last=True)
    for submission in list(waiting.order_by("-seen_at", owed_first, "pk")[:LOOKS]):
        if not jobs.renew(row, clock(), done=0, total=0):
            raise JobTakenOver
        asked_at = clock()
        try:
            bonus = client.submission(submission.ext_session).bonus
        except PlatformRefusal as error:
            logger.warning("Submission %s could not be read: %s", submission.pk, error.message)
            continue
        # A payment made during the call may be missing in the answer.
        paid = Payment.objects.filter(submission=submission.pk, ended_at__gte=asked_at)
        Submission.objects.filter(~Exists(paid), pk=submission.pk).update(bonus=bonus, unread=False)


def _settle_unclear(row: PlatformStudy, now: datetime) -> None:
    """Mark unclear payments as done if the submission proves it; a bonus can't be told from other bonuses.

    Also reopen rejections that were overturned.
    """
    state, kind = Submission.State, PaymentList.Kind
    proofs = (
        (kind.APPROVE, Q(submission__state__in=[state.APPROVED, state.PARTIALLY_APPROVED])),
        (kind.REJECT, Q(submission__state=state.REJECTED)),
        (kind.SCREEN_OUT, Q(submission__state=state.SCREENED_OUT)),
        (kind.REQUEST_RETURN, Q(submission__return_asked_at__gte=F("sent_at") - timedelta(minutes=1))),
    )
    for list_kind, proof in proofs:
        unclear = Payment.objects.filter(proof, list__platform=row, list__kind=list_kind, state=Payment.State.UNCLEAR)
        keys, lists = list(unclear.values_list("pk", flat=True)), list(unclear.values_list("list", flat=True))
        if list_kind == kind.REJECT:
            payment_lists.withdraw_pay(payments=keys)
        Payment.objects.filter(pk__in=keys).update(state=Payment.State.DONE, ended_at=now, error="")
        payment_lists.close_cleared(lists=lists)
    payment_lists.reopen_overturned(platform=row)

"""What a person decides about a list: take some off, carry it out, drop it, say what became of an unclear one."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Collection
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid
from core.jobs import DONE, FAILED, QUEUED
from raters.models import Payment, PaymentList, PlatformStudy, Session, Submission
from raters.models.payments import DRAFT, DROPPED
from raters.protocols import rejecting
from raters.selectors import candidates
from raters.services.paying import outcomes, preparing

if TYPE_CHECKING:
    from accounts.models import User

Kind, State = PaymentList.Kind, Payment.State
LONGEST_MESSAGE = 2000

log = logging.getLogger("earshot.paying")


def totals(listed: PaymentList) -> tuple[int, Decimal]:
    """Return how many are to be done, and their amounts together."""
    left = Payment.objects.filter(list=listed, state=State.PREPARED)
    return left.count(), left.aggregate(sum=Sum("amount"))["sum"] or Decimal(0)


def mark(listed: PaymentList) -> str:
    """Return what a list that holds anybody else, or other amounts, does not have."""
    left = Payment.objects.filter(list=listed, state=State.PREPARED).order_by("pk").values_list("pk", "amount")
    return hashlib.sha256(repr([(pk, str(amount)) for pk, amount in left]).encode()).hexdigest()[:32]


@transaction.atomic
def take_off(*, listed: PaymentList, payments: Collection[int]) -> int:
    """Leave some out of a draft; return how many that were."""
    _locked(listed, DRAFT)
    chosen = Payment.objects.filter(list=listed, pk__in=payments, state=State.PREPARED)
    return chosen.update(state=State.REMOVED)


@transaction.atomic
def put_on(*, listed: PaymentList, payments: Collection[int]) -> int:
    """Put on a draft whom it leaves out; return how many that were."""
    _locked(listed, DRAFT)
    chosen = Payment.objects.filter(list=listed, pk__in=payments, state=State.REMOVED)
    return chosen.update(state=State.PREPARED)


@transaction.atomic
def confirm(*, listed: PaymentList, seen: str, message: str, by: User, now: datetime) -> PaymentList:
    """Let a worker carry a draft out. `seen` is the mark of what the person saw: anything else is refused."""
    # In the order in which lists are prepared, so that the two don't wait for each other.
    platform = PlatformStudy.objects.select_for_update(no_key=True).get(pk=listed.platform_id)
    row = _locked(listed, DRAFT)
    if seen != mark(row):
        raise Conflict(_("The list has changed meanwhile. Look at it once more."), code="changed")
    number, amount = totals(row)
    if row.kind != Kind.PLACES:
        _refuse_outdated(row, platform)
    if row.kind != Kind.PLACES and not number:
        raise Conflict(_("Nothing is left on this list."), code="nothing_to_do")
    row.message = _checked(row, message)
    row.state, row.queued_at = QUEUED, now
    row.confirmed_by, row.confirmed_at = by, now
    row.save(update_fields=["message", "state", "queued_at", "confirmed_by", "confirmed_at"])
    log.info("list %s (%s of %s, %s) confirmed by user %s", row.pk, row.kind, number, amount, by.pk)
    return row


def _refuse_outdated(row: PaymentList, platform: PlatformStudy) -> None:
    """Raise `Conflict` when somebody on a draft would not be on it now, or with another amount."""
    preparing.refuse_mixed_money(row.kind, platform, row.currency)
    now = {each.submission.pk: each.amount for each in candidates.chosen(platform.study, platform, row.kind)}
    left = Payment.objects.filter(list=row, state=State.PREPARED).values_list("submission", "amount")
    is_other_money = row.kind == Kind.BONUS and row.currency != platform.study.definition.payment.currency
    if is_other_money or any(pk not in now or now[pk] != amount for pk, amount in left):
        told = _("What is owed has changed since this list was prepared. Prepare it once more.")
        raise Conflict(told, code="changed")


def _checked(row: PaymentList, message: str) -> str:
    """Return what participants are told; raises `Invalid` when one of them would read too little."""
    text = message.strip()[:LONGEST_MESSAGE]
    least = {Kind.REJECT: rejecting.SHORTEST_REASON, Kind.REQUEST_RETURN: 1}.get(Kind(row.kind), 0)
    left = Payment.objects.filter(list=row, state=State.PREPARED)
    if least and min((len(rejecting.told(text, each.grounds)) for each in left), default=least) < least:
        told = _("Write at least {least} characters: the participants read them.").format(least=least)
        raise Invalid(told, {"message": told})
    return text


@transaction.atomic
def drop(*, listed: PaymentList, now: datetime) -> None:
    """Give up a draft, or what is left of a list that stopped; what is unclear stays so until somebody looked."""
    row = _locked(listed, DRAFT, DONE, FAILED)
    Payment.objects.filter(list=row, state=State.PREPARED).update(state=State.REMOVED, ended_at=now)
    if row.state == DRAFT:
        row.state, row.ended_at = DROPPED, now
        row.save(update_fields=["state", "ended_at"])


@transaction.atomic
def go_on(*, listed: PaymentList, now: datetime) -> None:
    """Let a worker go on with a confirmed list that stopped; raises `Conflict` while something on it is unclear."""
    row = _locked(listed, DONE, FAILED)
    if Payment.objects.filter(list=row, state=State.UNCLEAR).exists():
        raise Conflict(_("Say first what became of those that are unclear."), code="unclear")
    if row.kind != Kind.PLACES and not Payment.objects.filter(list=row, state=State.PREPARED).exists():
        raise Conflict(_("Nothing is left on this list."), code="nothing_to_do")
    row.state, row.queued_at, row.tries, row.pauses, row.error = QUEUED, now, 0, 0, ""
    try:
        with transaction.atomic():
            row.save(update_fields=["state", "queued_at", "tries", "pauses", "error"])
    except IntegrityError as error:
        raise Conflict(_("Another list of this kind is open."), code="not_over") from error


@transaction.atomic
def resolve(*, listed: PaymentList, payments: Collection[int], happened: bool, by: User, now: datetime) -> int:
    """Say, after a look at the platform, what became of unclear ones: done, or to be done again. Returns how many."""
    row = _locked(listed, DONE, FAILED)
    unclear = Payment.objects.filter(list=row, pk__in=payments, state=State.UNCLEAR)
    keys = list(unclear.values_list("pk", flat=True))
    if not keys:
        return 0
    chosen = Payment.objects.filter(pk__in=keys)
    # Whatever was said of them: nobody is paid again before the platform was asked.
    Submission.objects.filter(payments__in=chosen).update(unread=True)
    told = State.DONE if happened else State.PREPARED
    if happened and row.kind == Kind.REJECT:
        outcomes.rejected(payments=keys)
    number = chosen.update(state=told, ended_at=now if happened else None, order="", error="")
    outcomes.cleared(lists=[row.pk])
    log.info("%s unclear on list %s: user %s says %s", number, row.pk, by.pk, told)
    return number


@transaction.atomic
def decide_pay(*, session_id: int, study_id: int, payable: bool, by: User) -> None:
    """Say whether a session is owed its pay that no rule decides; raises `Conflict` for any other."""
    # As lists are confirmed, so that a rejection and this word don't pass each other.
    list(PlatformStudy.objects.select_for_update(no_key=True).filter(study=study_id).order_by("pk"))
    rejected = Payment.objects.filter(list__kind=Kind.REJECT, list__confirmed_at__isnull=False)
    if rejected.filter(submission__session=session_id, state__in=preparing.LEFT).exists():
        raise Conflict(_("This session is about to be rejected."), code="decided")
    undecided = Session.objects.filter(pk=session_id, study=study_id, payable=None, simulated=False).exclude(outcome="")
    if not undecided.update(payable=payable):
        raise Conflict(_("This session's pay is decided already."), code="decided")
    log.info("session %s: user %s says payable=%s", session_id, by.pk, payable)


def _locked(listed: PaymentList, *states: str) -> PaymentList:
    row = PaymentList.objects.select_for_update(no_key=True).get(pk=listed.pk)
    if row.state not in states:
        raise Conflict(_("This list is in other hands already."), code="wrong_state")
    return row

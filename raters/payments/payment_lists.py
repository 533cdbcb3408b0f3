"""Payment lists: prepare, check, confirm, discard, and apply their results."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Collection, Iterable
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet, Sum
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid
from core.jobs import DONE, FAILED, QUEUED, RUNNING
from raters.payments import candidates
from raters.payments.candidates import DECIDES, SPENT, PaymentCandidate
from raters.payments.models import DRAFT, DROPPED, Payment, PaymentList, PlatformStudy, Submission
from raters.people import rules as people_rules
from raters.people.models import Session

if TYPE_CHECKING:
    from accounts.users.models import User
    from raters.sources.payment_platform import PaymentPlatform
    from studies.definition.models import Study

Kind, State = PaymentList.Kind, Payment.State
# Limits the cost of a typing error.
MOST_PLACES = 1000
LEFT = (State.PREPARED, State.SENDING, State.UNCLEAR)
# States of submissions that the platform has paid or never will pay.
SETTLED = (
    Submission.State.APPROVED, Submission.State.PARTIALLY_APPROVED, Submission.State.REJECTED,
    Submission.State.SCREENED_OUT,
)  # fmt: skip

log = logging.getLogger("earshot.paying")


def withdraw_pay(*, payments: Collection[int]) -> None:
    """Mark rejected sessions as not payable. Their answers remain usable."""
    _at_these_places(payments).update(payable=False)


def reopen_overturned(*, platform: PlatformStudy) -> None:
    """Reset the pay of rejected sessions to undecided if the platform no longer shows them as rejected."""
    rejections = Payment.objects.filter(list__platform=platform, list__kind=PaymentList.Kind.REJECT, state=State.DONE)
    lifted = rejections.filter(submission__seen_at__gt=F("ended_at")).exclude(
        submission__state=Submission.State.REJECTED
    )
    keys = list(lifted.values_list("pk", flat=True))
    if not keys:
        return
    _at_these_places(keys).filter(payable=False).exclude(outcome="").update(payable=None)
    error = _("{platform} doesn’t show this submission as rejected.").format(platform=platform.payment_platform.name)
    Payment.objects.filter(pk__in=keys).update(state=State.FAILED, error=error)


def _at_these_places(payments: Collection[int]) -> QuerySet[Session]:
    """Return the sessions of payments, except those continued under another submission."""
    submitted_session = F("submissions__ext_session")
    return Session.objects.filter(submissions__payments__in=payments, ext_session=submitted_session)


def close_cleared(*, lists: Collection[int]) -> None:
    """Clear the error of lists without unclear payments left; those with nothing left to do are done."""
    rows = PaymentList.objects.filter(pk__in=lists, state=FAILED).exclude(payments__state=State.UNCLEAR)
    rows.update(error="")
    rows.exclude(payments__state=State.PREPARED).update(state=DONE)


def prepare(*, study: Study, platform: PlatformStudy, kind: str, by: User, now: datetime) -> PaymentList:
    """Draft a list of everything of this kind that can be done now, replacing an older draft.

    For approvals, people who could also be rejected are listed as removed; only a person can add them. Raises
    `Conflict` if there is nothing to do or an earlier list of the kind is not over.
    """
    if kind == Kind.PLACES or kind not in platform.payment_platform.kinds:
        raise Invalid(_("This platform doesn’t offer this kind of list."), {"kind": kind})
    currency = study.definition.payment.currency
    with transaction.atomic():
        row = _locked_platform(platform, kind)
        refuse_mixed_money(kind, row, currency)
        chosen = candidates.find_candidates(study, row, kind)
        if not chosen:
            raise Conflict(_("There is nobody to put on this list at the moment."), code="nothing_to_do")
        return _draft(row, kind, by, now, chosen, message=suggestion(kind), currency=currency)


def prepare_places(*, platform: PlatformStudy, more: int, by: User, now: datetime) -> PaymentList:
    """Draft a list that adds places to the platform study; each place costs a reward."""
    if Kind.PLACES not in platform.payment_platform.kinds:
        raise Invalid(_("This platform doesn’t offer this kind of list."), {"kind": Kind.PLACES})
    if not 1 <= more <= MOST_PLACES:
        message = _("Add 1 to {most} places at a time.").format(most=MOST_PLACES)
        raise Invalid(message, {"more": message})
    with transaction.atomic():
        row = _locked_platform(platform, Kind.PLACES)
        if row.places is None:
            message = _("The number of places isn’t known yet. Read the submissions first, then try again.")
            raise Conflict(message, code="unread")
        return _draft(row, Kind.PLACES, by, now, (), places=row.places + more, currency=row.currency)


def _locked_platform(platform: PlatformStudy, kind: str) -> PlatformStudy:
    """Lock and return the platform study; raises `Conflict` while an earlier list of the kind is not over."""
    row = PlatformStudy.objects.select_for_update(no_key=True).get(pk=platform.pk)
    confirmed = PaymentList.objects.filter(platform=row, kind=kind, confirmed_at__isnull=False)
    if confirmed.filter(state__in=[QUEUED, RUNNING]).exists() or confirmed.filter(payments__state__in=LEFT).exists():
        raise Conflict(_("An earlier list of this kind is not finished. Finish or discard it first."), code="not_over")
    return row


def _draft(
    platform: PlatformStudy, kind: str, by: User, now: datetime, chosen: Iterable[PaymentCandidate], **words: object
) -> PaymentList:
    PaymentList.objects.filter(platform=platform, kind=kind, state=DRAFT).delete()
    try:
        with transaction.atomic():
            created = PaymentList.objects.create(
                platform=platform, kind=kind, state=DRAFT, made_by=by, made_at=now, **words
            )
    except IntegrityError as error:
        raise Conflict(
            _("Somebody else has just prepared this list. Load the page again to see it."), code="not_over"
        ) from error
    Payment.objects.bulk_create(
        Payment(
            list=created,
            submission=each.submission,
            amount=each.amount,
            grounds=each.grounds,
            state=Payment.State.REMOVED if each.held else Payment.State.PREPARED,
        )
        for each in chosen
    )
    return created


def refuse_mixed_money(kind: str, platform: PlatformStudy, currency: str) -> None:
    """Raise `Conflict` if bonuses would be paid in another currency than the settings use."""
    if kind == Kind.BONUS and platform.currency and platform.currency != currency:
        text = _("The platform’s study pays in {theirs}, but the settings here use {ours}. Change the settings first.")
        raise Conflict(text.format(theirs=platform.currency, ours=currency), code="currency")


def suggestion(kind: str) -> str:
    """Return a suggested message to participants, which the user can edit."""
    if kind == Kind.REQUEST_RETURN:
        return _("Your submission has no complete session in our study, so we can’t approve it.")
    if kind == Kind.REJECT:
        # "{evidence}" is replaced by each participant's failed checks.
        return _(
            "We are sorry that we can’t approve this submission. The instructions of the study say that it contains "
            "attention checks. These were not answered as asked: {evidence}"
        )
    return ""


def totals(listed: PaymentList) -> tuple[int, Decimal]:
    """Return the number of payments to do and the sum of their amounts."""
    rows = Payment.objects.filter(list=listed, state=State.PREPARED)
    return rows.count(), rows.aggregate(sum=Sum("amount"))["sum"] or Decimal(0)


def digest(listed: PaymentList) -> str:
    """Return a hash of the list's payments and amounts, to detect changes."""
    rows = Payment.objects.filter(list=listed, state=State.PREPARED).order_by("pk").values_list("pk", "amount")
    return hashlib.sha256(repr([(pk, str(amount)) for pk, amount in rows]).encode()).hexdigest()[:32]


@transaction.atomic
def take_off(*, listed: PaymentList, payments: Collection[int]) -> int:
    """Remove payments from a draft; return their number."""
    _locked_list(listed, DRAFT)
    chosen = Payment.objects.filter(list=listed, pk__in=payments, state=State.PREPARED)
    return chosen.update(state=State.REMOVED)


@transaction.atomic
def put_on(*, listed: PaymentList, payments: Collection[int]) -> int:
    """Add removed payments to a draft again; return their number."""
    _locked_list(listed, DRAFT)
    chosen = Payment.objects.filter(list=listed, pk__in=payments, state=State.REMOVED)
    return chosen.update(state=State.PREPARED)


@transaction.atomic
def confirm(*, listed: PaymentList, seen: str, message: str, by: User, now: datetime) -> PaymentList:
    """Queue a draft for a worker. `seen` is the digest of the page the user saw; raises `Conflict` after a change."""
    # Lock in the same order as `prepare`, to avoid deadlocks.
    platform = PlatformStudy.objects.select_for_update(no_key=True).get(pk=listed.platform_id)
    row = _locked_list(listed, DRAFT)
    if seen != digest(row):
        raise Conflict(_("The list changed after you opened it. Check it again, then confirm it."), code="changed")
    number, amount = totals(row)
    if row.kind != Kind.PLACES:
        _refuse_outdated(row, platform)
    if row.kind != Kind.PLACES and not number:
        raise Conflict(_("This list is empty. Prepare a new list."), code="nothing_to_do")
    row.message = _checked(row, message, platform.payment_platform)
    row.state, row.queued_at = QUEUED, now
    row.confirmed_by, row.confirmed_at = by, now
    row.save(update_fields=["message", "state", "queued_at", "confirmed_by", "confirmed_at"])
    log.info("list %s (%s of %s, %s) confirmed by user %s", row.pk, row.kind, number, amount, by.pk)
    return row


def _refuse_outdated(row: PaymentList, platform: PlatformStudy) -> None:
    """Raise `Conflict` if a payment of a draft would no longer be listed, or with another amount."""
    refuse_mixed_money(row.kind, platform, row.currency)
    now = {each.submission.pk: each.amount for each in candidates.find_candidates(platform.study, platform, row.kind)}
    rows = Payment.objects.filter(list=row, state=State.PREPARED).values_list("submission", "amount")
    is_other_money = row.kind == Kind.BONUS and row.currency != platform.study.definition.payment.currency
    if is_other_money or any(pk not in now or now[pk] != amount for pk, amount in rows):
        message = _("What is owed has changed since this list was prepared. Prepare a new list.")
        raise Conflict(message, code="changed")


def _checked(row: PaymentList, message: str, platform: PaymentPlatform) -> str:
    """Return the message to participants; raises `Invalid` if it is too short for any of them."""
    text = message.strip()[: platform.longest_message]
    least = {Kind.REJECT: platform.shortest_rejection, Kind.REQUEST_RETURN: 1}.get(Kind(row.kind), 0)
    rows = Payment.objects.filter(list=row, state=State.PREPARED)
    lengths = [len(people_rules.message_for(text, candidates.failed_checks(each))) for each in rows] if least else []
    if lengths and min(lengths) < least:
        problem = _("Write at least {least} characters. Participants read this message.").format(least=least)
        raise Invalid(problem, {"message": problem})
    return text


@transaction.atomic
def discard(*, listed: PaymentList, now: datetime) -> None:
    """Discard a draft, or the rest of a list that stopped; unclear payments stay until a person has checked them."""
    row = _locked_list(listed, DRAFT, DONE, FAILED)
    Payment.objects.filter(list=row, state=State.PREPARED).update(state=State.REMOVED, ended_at=now)
    if row.state == DRAFT:
        row.state, row.ended_at = DROPPED, now
        row.save(update_fields=["state", "ended_at"])


@transaction.atomic
def resume(*, listed: PaymentList, now: datetime) -> None:
    """Continue a confirmed list that stopped; raises `Conflict` while a payment on it is unclear."""
    row = _locked_list(listed, DONE, FAILED)
    if Payment.objects.filter(list=row, state=State.UNCLEAR).exists():
        raise Conflict(_("Some payments are unclear. Record what happened to them first."), code="unclear")
    if row.kind != Kind.PLACES and not Payment.objects.filter(list=row, state=State.PREPARED).exists():
        raise Conflict(_("This list is empty. Prepare a new list."), code="nothing_to_do")
    row.state, row.queued_at, row.tries, row.pauses, row.error = QUEUED, now, 0, 0, ""
    try:
        with transaction.atomic():
            row.save(update_fields=["state", "queued_at", "tries", "pauses", "error"])
    except IntegrityError as error:
        raise Conflict(_("Another list of this kind is open. Finish or discard it first."), code="not_over") from error


@transaction.atomic
def resolve(*, listed: PaymentList, payments: Collection[int], happened: bool, by: User, now: datetime) -> int:
    """Mark unclear payments as done or as still to do, after a check at the platform; return their number."""
    row = _locked_list(listed, DONE, FAILED)
    unclear = Payment.objects.filter(list=row, pk__in=payments, state=State.UNCLEAR)
    keys = list(unclear.values_list("pk", flat=True))
    if not keys:
        return 0
    chosen = Payment.objects.filter(pk__in=keys)
    # Bonuses are read from the platform again before anyone is paid again.
    Submission.objects.filter(payments__in=chosen).update(unread=True)
    state = State.DONE if happened else State.PREPARED
    if happened and row.kind == Kind.REJECT:
        withdraw_pay(payments=keys)
    number = chosen.update(state=state, ended_at=now if happened else None, order="", error="")
    close_cleared(lists=[row.pk])
    log.info("%s unclear on list %s: user %s says %s", number, row.pk, by.pk, state)
    return number


@transaction.atomic
def decide_pay(*, session_id: int, study_id: int, payable: bool, by: User) -> None:
    """Decide whether an undecided session is paid; raises `Conflict` for any other session."""
    # The same lock as `confirm` takes, so that a rejection isn't confirmed at the same time.
    list(PlatformStudy.objects.select_for_update(no_key=True).filter(study=study_id).order_by("pk"))
    rejections = Payment.objects.filter(list__kind=Kind.REJECT, list__confirmed_at__isnull=False)
    if rejections.filter(submission__session=session_id, state__in=LEFT).exists():
        raise Conflict(_("This session is on a confirmed Reject list, so its pay can’t be changed."), code="decided")
    undecided = Session.objects.filter(pk=session_id, study=study_id, payable=None, simulated=False).exclude(outcome="")
    if not undecided.update(payable=payable):
        raise Conflict(_("The pay of this session has already been decided."), code="decided")
    log.info("session %s: user %s says payable=%s", session_id, by.pk, payable)


def is_settled(session: Session) -> bool:
    """True once this session's submission is approved, rejected or screened out, or on a confirmed list for that."""
    mine = Submission.objects.filter(session=session.pk, ext_session=session.ext_session)
    payments = Payment.objects.filter(submission__in=mine, list__kind__in=DECIDES, list__confirmed_at__isnull=False)
    return mine.filter(state__in=SETTLED).exists() or payments.filter(state__in=(State.PREPARED, *SPENT)).exists()


def _locked_list(listed: PaymentList, *states: str) -> PaymentList:
    row = PaymentList.objects.select_for_update(no_key=True).get(pk=listed.pk)
    if row.state not in states:
        raise Conflict(_("This list was changed by somebody else. Load the page again."), code="wrong_state")
    return row

"""Prepare what could be done at the platform as a list; nothing leaves this server."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid
from core.jobs import QUEUED, RUNNING
from raters.models import Payment, PaymentList, PlatformStudy
from raters.models.payments import DRAFT
from raters.selectors import candidates
from raters.selectors.candidates import Candidate

if TYPE_CHECKING:
    from accounts.models import User
    from studies.models import Study

Kind = PaymentList.Kind
# Somebody asks for what is not paid twice by mistake.
MOST_PLACES = 1000
LEFT = (Payment.State.PREPARED, Payment.State.SENDING, Payment.State.UNCLEAR)


def prepare(*, study: Study, platform: PlatformStudy, kind: str, by: User, now: datetime) -> PaymentList:
    """Make a draft of everything of this kind that can be done now; an older draft goes.

    Whoever could be rejected as well is not on a list of approvals before a person puts them there.
    Raises `Conflict` when there is nothing to do, or an earlier list of the kind is not over.
    """
    if kind not in candidates.CHOOSE and kind != Kind.BONUS:
        raise Invalid(_("There is no such list."), {"kind": kind})
    currency = study.definition.payment.currency
    with transaction.atomic():
        row = _locked(platform, kind)
        refuse_mixed_money(kind, row, currency)
        found = candidates.chosen(study, row, kind)
        if not found:
            raise Conflict(_("There is nothing of that kind to do now."), code="nothing_to_do")
        return _draft(row, kind, by, now, found, message=suggestion(kind), currency=currency)


def prepare_places(*, platform: PlatformStudy, more: int, by: User, now: datetime) -> PaymentList:
    """Make a draft that gives the platform's study more places, which costs as many rewards."""
    if not 1 <= more <= MOST_PLACES:
        message = _("Add 1 to {most} places at a time.").format(most=MOST_PLACES)
        raise Invalid(message, {"more": message})
    with transaction.atomic():
        row = _locked(platform, Kind.PLACES)
        if row.places is None:
            told = _("Read the study at the platform first: its number of places isn't known yet.")
            raise Conflict(told, code="unread")
        return _draft(row, Kind.PLACES, by, now, (), places=row.places + more, currency=row.currency)


def _locked(platform: PlatformStudy, kind: str) -> PlatformStudy:
    """Return the row as it is now, for this transaction alone; raises `Conflict` while an earlier list is not over."""
    row = PlatformStudy.objects.select_for_update(no_key=True).get(pk=platform.pk)
    confirmed = PaymentList.objects.filter(platform=row, kind=kind, confirmed_at__isnull=False)
    if confirmed.filter(state__in=[QUEUED, RUNNING]).exists() or confirmed.filter(payments__state__in=LEFT).exists():
        raise Conflict(_("An earlier list of this kind is not over yet. Finish it first."), code="not_over")
    return row


def _draft(
    platform: PlatformStudy, kind: str, by: User, now: datetime, found: Iterable[Candidate], **words: object
) -> PaymentList:
    PaymentList.objects.filter(platform=platform, kind=kind, state=DRAFT).delete()
    try:
        with transaction.atomic():
            made = PaymentList.objects.create(
                platform=platform, kind=kind, state=DRAFT, made_by=by, made_at=now, **words
            )
    except IntegrityError as error:
        raise Conflict(_("Somebody else has just prepared the same list."), code="not_over") from error
    Payment.objects.bulk_create(
        Payment(
            list=made,
            submission=each.submission,
            amount=each.amount,
            grounds=each.grounds,
            state=Payment.State.REMOVED if each.held else Payment.State.PREPARED,
        )
        for each in found
    )
    return made


def refuse_mixed_money(kind: str, platform: PlatformStudy, currency: str) -> None:
    """Raise `Conflict` when bonuses would be paid in another currency than they are reckoned in."""
    if kind == Kind.BONUS and platform.currency and platform.currency != currency:
        text = _("The study at the platform pays in {theirs}, and the settings here say {ours}.")
        raise Conflict(text.format(theirs=platform.currency, ours=currency), code="currency")


def suggestion(kind: str) -> str:
    """Return what participants could be told; a person reads and changes it before anything is sent."""
    if kind == Kind.REQUEST_RETURN:
        return _("Your submission has no complete session in our study, so that we can't approve it.")
    if kind == Kind.REJECT:
        # Each participant reads what they were asked and what they answered in place of the last word.
        return _(
            "We are sorry that we can't approve this submission. The study says at its beginning that it contains "
            "attention checks, and these were not answered as they asked: {evidence}"
        )
    return ""

"""What follows here from what became of payments at the platform."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from core.jobs import DONE, FAILED
from raters.models import Payment, PaymentList, Session, Submission

State = Payment.State


def rejected(*, payments: Collection[int]) -> None:
    """Write down that rejected sessions are owed no pay any more: a person decided so. Their answers stay usable."""
    _at_these_places(payments).update(payable=False)


def overturned(*, platform: int) -> None:
    """Leave it to a person once more what rejected people are owed whom the platform holds for rejected no more."""
    told = Payment.objects.filter(list__platform=platform, list__kind=PaymentList.Kind.REJECT, state=State.DONE)
    lifted = told.filter(submission__seen_at__gt=F("ended_at")).exclude(submission__state=Submission.State.REJECTED)
    keys = list(lifted.values_list("pk", flat=True))
    if not keys:
        return
    _at_these_places(keys).filter(payable=False).exclude(outcome="").update(payable=None)
    Payment.objects.filter(pk__in=keys).update(state=State.FAILED, error=_("Prolific does not hold them for rejected."))


def _at_these_places(payments: Collection[int]) -> QuerySet[Session]:
    """Return the sessions of payments, but for those that go on at another place of the platform."""
    named = F("submissions__ext_session")
    return Session.objects.filter(submissions__payments__in=payments, ext_session=named)


def cleared(*, lists: Collection[int]) -> None:
    """End lists that stopped over what was unclear, once none of it is; what is still to be done waits for a person."""
    known = PaymentList.objects.filter(pk__in=lists, state=FAILED).exclude(payments__state=State.UNCLEAR)
    known.update(error="")
    known.exclude(payments__state=State.PREPARED).update(state=DONE)

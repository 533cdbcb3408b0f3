"""What follows here from what became of payments at the platform."""

from __future__ import annotations

from collections.abc import Collection

from core.jobs import DONE, FAILED
from raters.models import Payment, PaymentList, Session

State = Payment.State


def rejected(*, payments: Collection[int]) -> None:
    """Write down that rejected sessions are owed no pay any more: a person decided so. Their answers stay usable."""
    Session.objects.filter(submissions__payments__in=payments).update(payable=False)


def cleared(*, lists: Collection[int]) -> None:
    """End lists that stopped over what was unclear, once none of it is; what is still to be done waits for a person."""
    known = PaymentList.objects.filter(pk__in=lists, state=FAILED).exclude(payments__state=State.UNCLEAR)
    known.update(error="")
    known.exclude(payments__state=State.PREPARED).update(state=DONE)

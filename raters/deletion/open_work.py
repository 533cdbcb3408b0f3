"""What must be finished before the answers of studies may be deleted."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from core.jobs import QUEUED
from raters.payments.models import OPEN_LISTS, Payment, PaymentList, Submission
from raters.rating.models import OPEN, Batch

# Submissions not decided at the platform: raters still wait for their pay.
UNDECIDED = (Submission.State.ACTIVE, Submission.State.AWAITING_REVIEW)


class OpenWork(NamedTuple):
    """Whether somebody rates, and numbers of open payments."""

    is_active: bool
    waiting: int
    lists: int
    unclear: int

    @property
    def has_payments(self) -> bool:
        return bool(self.waiting or self.lists or self.unclear)


def open_work(studies: Collection[int]) -> OpenWork:
    """Return what is open in these studies together; four SELECTs."""
    # Previews are no one's work.
    batches = Batch.objects.filter(session__study__in=studies, session__study__preview_of=None)
    return OpenWork(
        is_active=batches.filter(state__in=[OPEN, QUEUED]).exists(),
        waiting=Submission.objects.filter(platform__study__in=studies, state__in=UNDECIDED).count(),
        lists=PaymentList.objects.filter(platform__study__in=studies, state__in=OPEN_LISTS).count(),
        unclear=Payment.objects.filter(list__platform__study__in=studies, state=Payment.State.UNCLEAR).count(),
    )

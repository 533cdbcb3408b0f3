"""Carry out confirmed lists. Each payment is marked as being sent before the call, so that none is sent twice."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from core import jobs
from core.errors import Conflict, DomainError
from raters.payments import candidates, payment_lists
from raters.payments.models import ERASED, Payment, PaymentList, PlatformStudy, Submission
from raters.payments.platform_studies import JobTakenOver
from raters.people import rules as people_rules
from raters.sources.payment_platform import NotSent, NotSetUp, NotYet, PaymentClient, PlatformRefusal, Unclear

Clock = Callable[[], datetime]
Kind, State = PaymentList.Kind, Payment.State
# Kinds after which no bonus is owed, so none has to be read.
WITHOUT_BONUS = (Kind.REQUEST_RETURN, Kind.REJECT)
# Wait between tries while people are still submitting or the platform is unavailable; at most `MOST_TRIES` times.
REST = timedelta(seconds=30)
MOST_TRIES = 20

logger = logging.getLogger(__name__)


def carry_out(*, pk: int, clock: Clock, client: PaymentClient | None = None) -> bool:
    """Carry out the rest of a list; False if another worker has it or it is over.

    Payments that were being sent when a worker died become unclear. They are sent again only if a person confirms that
    they didn't happen.
    """
    row = jobs.claim(PaymentList, pk, clock())
    if row is None:
        return False
    _leave_unclear(row)
    if row.tries - row.pauses > jobs.MAX_TRIES:
        return jobs.finish(row, clock(), error=_("The worker stopped each time it tried this."))
    try:
        platform = PlatformStudy.objects.get(pk=row.platform_id)
        with closing(client or platform.payment_platform.client()) as connected:
            _Run(row, platform, connected, clock).work()
    except JobTakenOver:
        return False
    except (NotSent, NotSetUp) as error:
        return _rest(row, clock(), error)
    except DomainError as error:
        jobs.finish(row, clock(), error=error.message)
    except Exception:
        with transaction.atomic():
            # Finish first: this fails if another worker has taken the list over, and its payments are not touched.
            if jobs.finish(row, clock(), error=_("Something went wrong. See the server’s log for details.")):
                _leave_unclear(row)
        raise
    return True


def _of(row: PaymentList, state: str) -> QuerySet[Payment]:
    return Payment.objects.filter(list=row, state=state)


def _leave_unclear(row: PaymentList) -> None:
    sending = _of(row, State.SENDING)
    Submission.objects.filter(payments__in=sending).update(unread=True)
    sending.update(state=State.UNCLEAR, error=_("The server stopped before the platform replied."))


def _rest(row: PaymentList, now: datetime, error: DomainError) -> bool:
    """Requeue a list without counting a failure, unless that was done too often or can't help."""
    if isinstance(error, NotSetUp) or row.pauses >= MOST_TRIES:
        return jobs.finish(row, now, error=error.message)
    mine = PaymentList.objects.filter(pk=row.pk, state=jobs.RUNNING, tries=row.tries)
    mine.update(state=jobs.QUEUED, queued_at=now + REST, lease_until=None, pauses=F("pauses") + 1, error=error.message)
    return True


class _Run:
    """One worker's run of a list."""

    def __init__(self, row: PaymentList, platform: PlatformStudy, client: PaymentClient, clock: Clock) -> None:
        self.row, self.platform, self.client, self.clock = row, platform, client, clock
        self.total = Payment.objects.filter(list=row).exclude(state=State.REMOVED).count()

    def work(self) -> None:
        self._skip_erased()
        if self.row.kind == Kind.PLACES:
            self._places()
        elif self.row.kind == Kind.BONUS:
            self._bonuses()
        else:
            self._one_by_one()
        self._skip_erased()
        unclear = _of(self.row, State.UNCLEAR).count()
        message = (
            _("Some payments are unclear. Check them at the platform and record what happened.") if unclear else ""
        )
        jobs.finish(self.row, self.clock(), error=message, done=self._done(), total=self.total)

    def _done(self) -> int:
        return _of(self.row, State.DONE).count()

    def _renew(self) -> None:
        if not jobs.renew(self.row, self.clock(), done=self._done(), total=self.total):
            raise JobTakenOver

    def _skip_erased(self) -> None:
        """Remove people erased since the draft, because their platform ids are gone."""
        erased = _of(self.row, State.PREPARED).filter(submission__ext_session__startswith=ERASED)
        erased.update(state=State.REMOVED, ended_at=self.clock())

    def _places(self) -> None:
        """The number is a total, so that repeating the call adds nothing."""
        assert self.row.places is not None
        self.client.set_places(self.platform.ext_study, self.row.places)
        PlatformStudy.objects.filter(pk=self.platform.pk).update(places=self.row.places)

    def _one_by_one(self) -> None:
        waiting: NotYet | None = None
        for payment in list(_of(self.row, State.PREPARED).select_related("submission").order_by("pk")):
            self._renew()
            if not self._mark([payment.pk]):
                continue
            try:
                self._act(payment)
            except NotYet as error:
                # The participant is about to submit: retry later, but not endlessly.
                waiting = error if payment.tries < MOST_TRIES else waiting
                self._write([payment.pk], State.PREPARED if payment.tries < MOST_TRIES else State.FAILED, error)
            except (NotSent, NotSetUp) as error:
                self._write([payment.pk], State.PREPARED, error)
                raise
            except Unclear as error:
                self._write([payment.pk], State.UNCLEAR, error)
            except DomainError as error:
                self._write([payment.pk], State.FAILED, error)
            else:
                self._write([payment.pk], State.DONE)
        if waiting is not None:
            raise NotSent(waiting.message)

    def _act(self, payment: Payment) -> None:
        name, kind = payment.submission.ext_session, self.row.kind
        if kind == Kind.APPROVE:
            self.client.approve(name)
        elif kind == Kind.REQUEST_RETURN:
            self.client.request_return(name, message=self.row.message)
        elif kind == Kind.SCREEN_OUT:
            self.client.screen_out(name, code=payment.grounds["code"])
        else:
            checks = candidates.failed_checks(payment)
            self.client.reject(name, message=people_rules.message_for(self.row.message, checks))

    def _bonuses(self) -> None:
        waiting = list(_of(self.row, State.PREPARED).select_related("submission").order_by("pk"))
        size = self.platform.payment_platform.bonuses_at_once
        for first in range(0, len(waiting), size):
            payments = [each for each in waiting[first : first + size] if self._is_as_drafted(each)]
            if not payments:
                continue
            amounts = {each.submission.ext_session: each.amount for each in payments if each.amount is not None}
            # This call pays nothing, so it can be repeated after any error.
            try:
                order = self.client.set_up_bonuses(self.platform.ext_study, amounts)
            except PlatformRefusal as error:
                self._write([each.pk for each in payments], State.FAILED, error, over=State.PREPARED)
                continue
            self._pay(order, [each.pk for each in payments])

    def _is_as_drafted(self, payment: Payment) -> bool:
        """Check that the bonus at the platform is as in the draft; otherwise the payment fails and needs a new list."""
        self._renew()
        submission = payment.submission
        try:
            bonus = self.client.submission(submission.ext_session).bonus
        except PlatformRefusal as error:
            self._write([payment.pk], State.FAILED, error, over=State.PREPARED)
            return False
        if bonus is None or "bonuses" not in payment.grounds or bonus == Decimal(payment.grounds["bonuses"]):
            return True
        Submission.objects.filter(pk=submission.pk).update(bonus=bonus)
        other = Conflict(_("Their bonuses at the platform have changed. Prepare a new list."))
        self._write([payment.pk], State.FAILED, other, over=State.PREPARED)
        return False

    def _pay(self, order: str, keys: list[int]) -> None:
        """Pay a bonus order, with a single call; all its payments are marked first."""
        self._renew()
        with transaction.atomic():
            if self._mark(keys, order) != len(keys):
                raise JobTakenOver
        try:
            self.client.pay_bonuses(order)
        except (PlatformRefusal, NotSent, NotSetUp) as error:
            # Refused for certain. Only a person may send these again.
            self._write(keys, State.FAILED, error)
        except Unclear as error:
            self._write(keys, State.UNCLEAR, error)
            raise
        else:
            self._write(keys, State.DONE)

    def _mark(self, keys: list[int], order: str = "") -> int:
        """Mark payments as being sent; return the number that were still to do."""
        return (
            _of(self.row, State.PREPARED)
            .filter(pk__in=keys)
            .exclude(submission__ext_session__startswith=ERASED)
            .update(state=State.SENDING, sent_at=self.clock(), tries=F("tries") + 1, order=order)
        )

    @transaction.atomic
    def _write(
        self, keys: list[int], state: str, error: DomainError | None = None, *, over: str = State.SENDING
    ) -> None:
        """Store the result of payments that were being sent, and mark their bonuses to be read again."""
        mine = Payment.objects.filter(pk__in=keys, state=over)
        ended = None if state == State.PREPARED else self.clock()
        mine.update(state=state, ended_at=ended, error=error.message if error else "")
        if state == State.DONE and self.row.kind == Kind.REJECT:
            payment_lists.withdraw_pay(payments=keys)
        # Read the bonus even after an unclear result: it may show whether it was paid.
        if state in (State.DONE, State.UNCLEAR) and self.row.kind not in WITHOUT_BONUS:
            Submission.objects.filter(payments__in=keys).update(unread=True)

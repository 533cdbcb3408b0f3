"""Working time, pay owed, and pay per hour."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from statistics import median
from typing import TYPE_CHECKING

from django.db.models import Count

from core.jobs import DONE
from raters.people.models import Session
from raters.rating import monitor
from raters.rating.models import Batch, TrialClip
from studies.definition.settings.payment import FIXED_RATES

if TYPE_CHECKING:
    from studies.definition.settings.payment import PaymentSettings


@dataclass(frozen=True, slots=True)
class SessionWork:
    """Work in a session; `took` is from arrival to end, `rating` from the first clip to the end."""

    session: int
    outcome: str
    payable: bool | None
    took: timedelta | None
    rating: timedelta | None
    clips: int
    valid_batches: int


@dataclass(frozen=True, slots=True)
class Hourly:
    """Number of people, their median minutes, and pay per hour; None if unknown."""

    people: int
    minutes: float | None
    hour: Decimal | None


@dataclass(frozen=True, slots=True)
class PayFacts:
    """Pay of complete sessions, of screened-out people, and of all paid sessions."""

    complete: Hourly
    screened_out: Hourly
    everybody: Hourly
    seconds_a_clip: float | None
    total: Decimal


def newest_complete(study_id: int, limit: int) -> dict[int, SessionWork]:
    """Return {session: work} of the complete sessions that ended last; four SELECTs."""
    complete = monitor.sessions_of(study_id, False).filter(outcome=Session.Outcome.COMPLETE, ended_at__isnull=False)
    return work(study_id, list(complete.order_by("-ended_at", "-pk").values_list("pk", flat=True)[:limit]))


def work(study_id: int, sessions: Collection[int] | None = None) -> dict[int, SessionWork]:
    """Return {session: work} of real raters, for these sessions or all; three SELECTs.

    Without `sessions`, one SELECT reads all answers of the study.
    """
    clips = TrialClip.objects.filter(
        trial__batch__session__study=study_id,
        trial__batch__session__simulated=False,
        trial__answered_at__isnull=False,
    )
    batches = Batch.objects.filter(session__study=study_id, session__simulated=False, state=DONE, valid=True)
    rows = monitor.sessions_of(study_id, False).order_by("pk")
    if sessions is not None:
        clips = clips.filter(trial__batch__session__in=sessions)
        batches, rows = batches.filter(session__in=sessions), rows.filter(pk__in=sessions)
    answered = dict(clips.order_by().values_list("trial__batch__session").annotate(number=Count("pk")))
    valid = dict(batches.order_by().values_list("session").annotate(number=Count("pk")))
    session_rows = rows.values_list("pk", "outcome", "payable", "arrived_at", "started_at", "ended_at")
    return {
        pk: SessionWork(
            session=pk,
            outcome=outcome,
            payable=payable,
            took=None if ended is None else ended - arrived,
            rating=None if ended is None or started is None else ended - started,
            clips=answered.get(pk, 0),
            valid_batches=valid.get(pk, 0),
        )
        for pk, outcome, payable, arrived, started, ended in session_rows
    }


def facts(settings: PaymentSettings, done: Mapping[int, SessionWork]) -> PayFacts:
    """Summarize the pay of these sessions; unpaid and undecided ones are ignored."""
    paid = [each for each in done.values() if each.payable]
    out = [each for each in paid if each.outcome == Session.Outcome.SCREENED_OUT]
    rest = [each for each in paid if each.outcome not in FIXED_RATES]
    rates = [each.rating.total_seconds() / each.clips for each in rest if each.rating is not None and each.clips]
    return PayFacts(
        complete=hourly(settings, rest),
        screened_out=hourly(settings, out),
        everybody=hourly(settings, paid),
        seconds_a_clip=median(rates) if rates else None,
        total=sum((owed(settings, each) for each in paid), Decimal(0)),
    )


def hourly(settings: PaymentSettings, some: Collection[SessionWork]) -> Hourly:
    """Return the median time, and the total pay divided by the total hours."""
    timed = [(each.took.total_seconds(), owed(settings, each)) for each in some if each.took is not None]
    hours = Decimal(sum(seconds for seconds, _pay in timed)) / 3600
    pay = sum((each for _seconds, each in timed), Decimal(0))
    return Hourly(
        people=len(some),
        minutes=median(seconds for seconds, _pay in timed) / 60 if timed else None,
        hour=(pay / hours).quantize(Decimal("0.01")) if hours and pay else None,
    )


def owed(settings: PaymentSettings, done: SessionWork) -> Decimal:
    """Return pay plus bonus."""
    return sum(settings.owed(outcome=done.outcome, clips=done.clips, valid_batches=done.valid_batches), Decimal(0))


def as_paid(settings: PaymentSettings, reward: Decimal | None, currency: str) -> PaymentSettings:
    """Return the settings with the platform's reward as pay per session, if they have no pay of their own."""
    if settings.rate is not None or reward is None:
        return settings
    changes = {"rate": float(reward), "per": "session", "currency": currency or settings.currency}
    return settings.model_copy(update=changes)

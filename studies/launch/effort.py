"""Raters, minutes and pay that a launch takes."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from core.text.numbers import duration
from studies import hooks
from studies.clips import figures
from studies.definition.settings.payment import money
from studies.pool import session_time

if TYPE_CHECKING:
    from studies.definition.definition import Definition
    from studies.definition.settings.crowd import Crowd
    from studies.hooks import CrowdSource
    from studies.launch.plan import LaunchPlan


@dataclass(frozen=True, slots=True)
class Effort:
    """The fewest raters, their minutes and pay; None if the settings don't determine them.

    `minutes` is the setting, `proposed` the value used while it is not set (0 without a batch); `listening` is the
    total duration in seconds of a complete session's clips. Pay is without people who are screened out or excluded.
    `hourly` is the pay of an hour without the bonus; `least` is the lowest that the settings accept. `with_fee` is the
    total with the platform's fee. `raters` is `tests` × `wanted` ratings, divided by the `ratings_each` of a rater.
    `answering` is the usual time for all `answers` in seconds. `is_by_hand`: Earshot doesn't pay these raters;
    `is_nameless`: nor does it know them.
    """

    raters: int
    minutes: int | None
    proposed: int
    listening: float
    each: Decimal | None
    bonus: Decimal
    total: Decimal | None
    currency: str
    hourly: Decimal | None = None
    least: Decimal | None = None
    fee_percent: float | None = None
    with_fee: Decimal | None = None
    tests: int = 0
    wanted: int = 0
    ratings_each: int = 0
    answering: float = 0
    answers: int = 0
    seconds_each: float = 0
    is_by_hand: bool = False
    is_nameless: bool = False

    @property
    def estimate(self) -> str:
        """Return how the proposed minutes come about, as sentences."""
        text = _(
            "Estimate: {listening} of listening + {answering} of answering ({answers} × {each}) = {minutes} min, "
            "rounded up. Time to read the instructions isn’t included: add some."
        )
        parts = {"listening": duration(self.listening), "answering": duration(self.answering)}
        parts |= {"each": duration(self.seconds_each), "answers": str(self.answers)}
        return text.format(minutes=self.proposed, **parts)

    @property
    def is_below(self) -> bool:
        """True if an hour is paid less than the settings accept."""
        return self.hourly is not None and self.least is not None and self.hourly < self.least


def effort(plan: LaunchPlan) -> Effort:
    """Return the effort of the study's draft with its clips; one SELECT."""
    payment = plan.definition.payment
    groups = figures.groups(plan.study.pk)
    session = session_time.content(plan.definition, groups, batches=plan.batches, clips_each=plan.clips_each)
    minutes = payment.minutes or session.minutes
    fee, source = fee_percent(plan.definition), source_of(plan.definition.crowd)
    each = bonus = total = hourly = with_fee = None
    if payment.rate is not None:
        each, bonus = payment.owed(outcome="complete", clips=session.clips, valid_batches=plan.batches)
        total = (each + bonus) * plan.raters
        hourly = money(float(each) * 60 / minutes) if minutes else None
        with_fee = money(float(total) * (1 + fee / 100)) if fee is not None else None
    return Effort(
        raters=plan.raters,
        minutes=payment.minutes,
        proposed=session.minutes,
        listening=session.listening,
        each=each,
        bonus=bonus or money(0),
        total=total,
        currency=payment.currency,
        hourly=hourly,
        least=None if payment.hourly_least is None else money(payment.hourly_least),
        fee_percent=fee,
        with_fee=with_fee,
        tests=plan.tests,
        wanted=plan.definition.protocol.ratings_wanted,
        ratings_each=plan.batches * plan.definition.protocol.tests_per_batch,
        answering=session.answering,
        answers=session.answers,
        seconds_each=session.seconds_each,
        is_by_hand=payment.rate != 0 and not (source and source.pays),
        is_nameless=source is not None and not source.knows_people,
    )


def source_of(crowd: Crowd) -> CrowdSource | None:
    """Return the source that raters come from; None if no app offers it."""
    return next((source for source in hooks.crowd_sources if source.name == crowd.source), None)


def source_label(crowd: Crowd) -> str:
    """Return where raters come from, in words."""
    source = source_of(crowd)
    return str(source.label) if source else crowd.source


def fee_percent(definition: Definition) -> float | None:
    """Return the platform's fee that is set, or the usual one of the crowd source; None if unknown."""
    if definition.payment.fee_percent is not None:
        return definition.payment.fee_percent
    source = source_of(definition.crowd)
    return source.fee_percent if source else None

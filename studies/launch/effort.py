"""Raters, minutes and pay that a launch takes."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from studies.clips import figures
from studies.definition.settings.payment import money
from studies.pool import session_time

if TYPE_CHECKING:
    from studies.launch.plan import LaunchPlan


@dataclass(frozen=True, slots=True)
class Effort:
    """The fewest raters, their minutes and pay; None if the settings don't determine them.

    `minutes` is the setting, `proposed` the value used while it is not set (0 without a batch); `listening` is the
    total duration in minutes of a complete session's clips. Pay is without the platform's fee and without people who
    are screened out or excluded.
    """

    raters: int
    minutes: int | None
    proposed: int
    listening: int
    each: Decimal | None
    bonus: Decimal
    total: Decimal | None
    currency: str


def effort(plan: LaunchPlan) -> Effort:
    """Return the effort of the study's draft with its clips; one SELECT."""
    payment = plan.definition.payment
    groups = figures.groups(plan.study.pk)
    session = session_time.content(plan.definition, groups, batches=plan.batches, clips_each=plan.clips_each)
    each = bonus = total = None
    if payment.rate is not None:
        each, bonus = payment.owed(outcome="complete", clips=session.clips, valid_batches=plan.batches)
        total = (each + bonus) * plan.raters
    return Effort(
        raters=plan.raters,
        minutes=payment.minutes,
        proposed=session.minutes,
        listening=session.listening,
        each=each,
        bonus=bonus or money(0),
        total=total,
        currency=payment.currency,
    )

"""What a launch asks of raters and costs: people, minutes and pay."""

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
    """The fewest raters, their minutes and their pay; None where settings don't say it.

    `minutes` are those set, `proposed` those that raters are told while none are set, 0 without a batch; `listening` is
    how many minutes the clips of a complete session last. Pay is without the platform's fee and without people who are
    screened out or excluded.
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
    """Return what the study asks of raters, as its draft and its clips say; one SELECT."""
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

"""What a launch asks of raters and costs: people, minutes and pay."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING

from studies.clips import figures
from studies.definition.settings.payment import money

if TYPE_CHECKING:
    from studies.launch.plan import LaunchPlan


@dataclass(frozen=True, slots=True)
class Effort:
    """The fewest raters, their minutes and their pay; None where settings don't say it.

    `listening` is how many minutes the clips of a complete session last. Pay is without the platform's fee and
    without people who are screened out or excluded.
    """

    raters: int
    minutes: int | None
    listening: int
    each: Decimal | None
    bonus: Decimal
    total: Decimal | None
    currency: str


def effort(plan: LaunchPlan) -> Effort:
    """Return what the study asks of raters, as its draft and its clips say; one SELECT."""
    protocol, payment = plan.definition.protocol, plan.definition.payment
    screens = plan.batches * (protocol.tests_per_batch + protocol.flawed_traps + protocol.human_traps)
    groups = figures.groups(plan.study.pk)
    number = sum(group.clips for group in groups)
    seconds = sum(group.seconds for group in groups) / number if number else 0
    each = bonus = total = None
    if payment.rate is not None:
        each, bonus = payment.owed(
            outcome="complete", clips=ceil(screens * plan.clips_each), valid_batches=plan.batches
        )
        total = (each + bonus) * plan.raters
    return Effort(
        raters=plan.raters,
        minutes=payment.minutes,
        listening=ceil(screens * plan.clips_each * seconds / 60),
        each=each,
        bonus=bonus or money(0),
        total=total,
        currency=payment.currency,
    )

"""Minutes and pay of a planned number of raters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.planning.answers import test_item
from analysis.planning.result import Costs
from studies.definition.settings.payment import money
from studies.launch.effort import fee_percent
from studies.pool import session_time

if TYPE_CHECKING:
    from studies.clips.figures import Group
    from studies.definition.definition import Definition


def costs(definition: Definition, groups: Sequence[Group], sessions: int) -> Costs | None:
    """Return the length of a session of these clips and what so many sessions cost; None without clips.

    Every session is taken as complete, with all of its batches valid.
    """
    if not groups:
        return None
    payment, protocol = definition.payment, definition.protocol
    item, _place, _chances = test_item(definition.kind, definition.params)
    session = session_time.content(definition, groups, batches=protocol.batches_per_session, clips_each=len(item.clips))
    pay = with_fee = None
    if payment.rate is not None:
        each, bonus = payment.owed(outcome="complete", clips=session.clips, valid_batches=protocol.batches_per_session)
        pay = float((each + bonus) * sessions)
        fee = fee_percent(definition)
        with_fee = None if fee is None else float(money(pay * (1 + fee / 100)))
    return Costs(minutes=payment.minutes or session.minutes, currency=payment.currency, pay=pay, with_fee=with_fee)

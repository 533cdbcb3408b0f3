"""What higher jobs of raters add to a session from `ready()`: it knows no attention checks, queues or payments.

What apps add to the server is in `core.hooks`, what they add to a study in `studies.hooks`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from random import Random
from typing import TYPE_CHECKING, Protocol

from core.registry import Registry

if TYPE_CHECKING:
    from raters.people.models import Session


class BetweenBatches(Protocol):
    """Leads a locked session elsewhere where its next batch would be opened; says whether it did."""

    def __call__(self, *, session: Session, now: datetime, rng: Random) -> bool: ...


class NewlyUsable(Protocol):
    """Called in the worker with the batches of which answers just became usable, after the transaction."""

    def __call__(self, *, batch_ids: Collection[int]) -> object: ...


between_batches: Registry[BetweenBatches] = Registry()
newly_usable: Registry[NewlyUsable] = Registry()
# Each returns the duration in minutes that the platform states to a session's person; None if unknown.
minutes_told: Registry[Callable[[Session], int | None]] = Registry()
# Each is true once the platform has settled a session's pay, or is about to: such a session stays ended.
pay_settled: Registry[Callable[[Session], bool]] = Registry()

"""Hooks for higher apps of raters, registered from `ready()`: attention checks, queues and payments.

Hooks of the server are in `core.hooks`, those of studies in `studies.hooks`.
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
    """Called before a locked session's next batch is opened; returns true to send the rater to another page instead."""

    def __call__(self, *, session: Session, now: datetime, rng: Random) -> bool: ...


class NewlyUsable(Protocol):
    """Called by the worker after the commit, with the batches that have newly usable answers."""

    def __call__(self, *, batch_ids: Collection[int]) -> object: ...


between_batches: Registry[BetweenBatches] = Registry()
newly_usable: Registry[NewlyUsable] = Registry()
# Each returns the minutes that the platform announces to a session's rater; None if unknown.
minutes_told: Registry[Callable[[Session], int | None]] = Registry()
# Each is true once the pay is settled at the platform or about to be; the session can't be reopened then.
pay_settled: Registry[Callable[[Session], bool]] = Registry()

"""The order in which a question's options are shown: the same for all raters, or reversed for half of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

from core.spec import labels

Order = Literal["fixed", "counterbalanced"]
ORDERS = labels(fixed="The same for all raters", counterbalanced="Reversed for half of the raters")
OF_LABELS = "Whether half of the raters see Machine first; the order shown is recorded."
T = TypeVar("T")


def ordered(options: Sequence[T], order: Order, half: int) -> list[T]:
    """Return the options in the order for this half of the raters; the odd half gets a counterbalanced one reversed."""
    return list(reversed(options)) if order == "counterbalanced" and half % 2 else list(options)

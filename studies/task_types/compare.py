"""Two clips of one text side by side: which is better?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studies.task_types._comparison import VARIANTS, Comparison
from studies.task_types.base import AnyTaskType


class Compare(Comparison):
    """Comparisons of two systems; the kind of answer decides what is counted."""

    name = "compare"
    label = "Comparison of two systems (A/B)"

    def of(self, raw: Mapping[str, Any]) -> AnyTaskType:
        variant = VARIANTS.get(raw.get("answer"), Comparison)
        return self if variant is Comparison else type(variant.__name__, (variant, Compare), {})()

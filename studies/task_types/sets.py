"""Several clips of one text at once: the best and the worst, or a ranking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studies.task_types._sets import VARIANTS, BestWorst
from studies.task_types.base import AnyTaskType


class Sets(BestWorst):
    """Comparisons of several systems at once; the kind of answer decides what is counted."""

    name = "sets"
    label = "Comparison of several systems at once"

    def of(self, raw: Mapping[str, Any]) -> AnyTaskType:
        variant = VARIANTS.get(raw.get("answer"), BestWorst)
        return self if variant is BestWorst else type(variant.__name__, (variant, Sets), {})()

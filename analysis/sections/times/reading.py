"""How long a clip takes: median beside mean (rule C4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.data.groups import LABELS, coded
from raters.rating import scored
from raters.rating.monitor import Versions
from studies.clips.tables import Groups

DTYPE = np.dtype([("clip", np.int64), ("response", np.float64), ("decision", np.float64)])


def tables(
    study_id: int, simulated: bool | None, groups: dict[int, Groups], versions: Versions = None
) -> list[dict[str, Any]]:
    """Return the seconds of usable test answers by system, and last of all clips together; 24 bytes a clip heard."""
    table = np.fromiter(scored.response_times(study_id, simulated, versions), dtype=DTYPE)
    if not len(table):
        return []
    keys, labels = coded(table["clip"], groups, LABELS["system"])
    found = [{"name": name, "kind": kind, **_of(table[keys == key])} for key, (name, kind) in enumerate(labels)]
    return [*found, {"name": "", "kind": "", **_of(table)}]


def _of(rows: Any) -> dict[str, Any]:
    figures: dict[str, Any] = {"clips": len(rows)}
    for name in ("response", "decision"):
        known = rows[name][~np.isnan(rows[name])]
        figures[name] = (
            {"median": float(np.median(known)), "mean": float(known.mean()), "known": len(known)}
            if len(known)
            else None
        )
    return figures

"""How long a clip takes: median beside mean (rule C4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.data.groups import LABELS, coded
from analysis.sections.inputs import SystemTimes, Took
from analysis.stats.design import Floats
from raters.rating import scored
from raters.rating.monitor import Versions
from studies.clips.tables import Groups

DTYPE = np.dtype([("clip", np.int64), ("response", np.float64), ("decision", np.float64)])


def tables(
    study_id: int, simulated: bool | None, groups: dict[int, Groups], versions: Versions = None
) -> list[SystemTimes]:
    """Return the seconds of usable test answers by system, and last of all clips together; 24 bytes a clip heard."""
    table = np.fromiter(scored.response_times(study_id, simulated, versions), dtype=DTYPE)
    if not len(table):
        return []
    keys, labels = coded(table["clip"], groups, LABELS["system"])
    systems = [_of(name, kind, table[keys == key]) for key, (name, kind) in enumerate(labels)]
    return [*systems, _of("", "", table)]


def _of(name: str, kind: str, rows: Any) -> SystemTimes:
    return SystemTimes(
        name=name, kind=kind, clips=len(rows), response=_took(rows["response"]), decision=_took(rows["decision"])
    )


def _took(seconds: Floats) -> Took | None:
    known = seconds[~np.isnan(seconds)]
    return Took(median=float(np.median(known)), mean=float(known.mean()), known=len(known)) if len(known) else None

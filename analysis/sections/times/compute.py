"""Seconds per clip, by system: median and mean (rule C4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.data.groups import LABELS, ClipTable
from analysis.sections.inputs import AnalysisInput, SystemTimes, Took
from analysis.sections.times import Times, seconds
from analysis.stats.design import Floats, NotEstimable
from core.text.words import say
from raters.rating import scored
from raters.rating.monitor import Versions
from studies.clips.tables import Groups

DTYPE = np.dtype([("clip", np.int64), ("response", np.float64), ("decision", np.float64)])


def compute(inputs: AnalysisInput) -> Times:
    """Return median and mean seconds per clip, by system and for all (rule C4)."""
    rows = tuple(map(seconds, inputs.facts.times))
    if not rows:
        raise NotEstimable(say("No rating counts yet, so no time was taken."))
    return Times(rows=rows)


def tables(
    study_id: int, simulated: bool | None, groups: dict[int, Groups], versions: Versions = None
) -> list[SystemTimes]:
    """Return the times of usable test answers: a row for each system, then one for all clips.

    Needs 24 bytes of memory for each clip heard.
    """
    parts = [
        np.rec.fromarrays(columns, dtype=DTYPE) for columns in scored.response_times(study_id, simulated, versions)
    ]
    return of_rows(np.concatenate([np.zeros(0, DTYPE), *parts]), ClipTable(groups))


def of_rows(table: Any, about: ClipTable) -> list[SystemTimes]:
    """Return the same from rows of `DTYPE`."""
    if not len(table):
        return []
    keys, labels = about.coded(about.places(table["clip"]), LABELS["system"])
    systems = [_of(name, kind, table[keys == key]) for key, (name, kind) in enumerate(labels)]
    return [*systems, _of("", "", table)]


def _of(name: str, kind: str, rows: Any) -> SystemTimes:
    return SystemTimes(
        name=name, kind=kind, clips=len(rows), response=_took(rows["response"]), decision=_took(rows["decision"])
    )


def _took(seconds: Floats) -> Took | None:
    known = seconds[~np.isnan(seconds)]
    return Took(median=float(np.median(known)), mean=float(known.mean()), known=len(known)) if len(known) else None

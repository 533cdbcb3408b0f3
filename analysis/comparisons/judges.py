"""A study's judges and metrics, for the tables and the figure of the ATT paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.comparisons import ranks
from analysis.comparisons.machine import Machine
from analysis.comparisons.result import Ranks, RefusedRanks
from analysis.comparisons.traps import trap_test
from analysis.metrics import queries as metrics_queries
from analysis.sections.judges import Judge, TrapDot, VoiceRanks
from analysis.sections.metrics import compute as metrics_compute
from analysis.sections.shared import Refusal
from studies.clips import queries as clips_queries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pandas import DataFrame

    from analysis.metrics.models import MetricSet
    from studies.clips.queries import Labels


def of_study(study_id: int, frame: DataFrame) -> tuple[Judge, ...]:
    """Return the study's metrics by name, compared with its ratings; of metrics with the same name, the newest."""
    newest: dict[str, MetricSet] = {}
    for each in metrics_queries.sets(study_id):
        newest.setdefault(each.name, each)
    if not newest:
        return ()
    labels, people = clips_queries.labels(study_id), metrics_compute.rated_clips(frame)
    return tuple(judge(Machine.read(newest[name]), labels, people, frame) for name in sorted(newest))


def judge(machine: Machine, labels: Mapping[int, Labels], people: DataFrame, frame: DataFrame) -> Judge:
    """Compare a metric with listeners: `people` is `rated_clips(frame)`."""
    paired = metrics_compute.beside(people, machine.values, machine.seen)
    traps = trap_test(machine, labels)
    mapped = [None] * len(traps.clips) if traps.mapped is None else traps.mapped.tolist()
    dots = [
        TrapDot(labels[clip].file, labels[clip].groups.role, value, share)
        for clip, value, share in zip(traps.clips, traps.values.tolist(), mapped, strict=True)
    ]
    at, refused = (None, traps.at.refused) if isinstance(traps.at, Refusal) else (traps.at, "")
    return Judge(
        name=machine.of.name,
        formula=machine.formula,
        asked=traps.asked,
        dots=tuple(dots),
        auc=traps.auc,
        at=at,
        at_half=None if at is None else traps.at_half,
        refused=refused,
        ranks=tuple(map(_ranks, ranks.compare(machine, paired, frame))),
    )


def _ranks(row: Ranks | RefusedRanks) -> VoiceRanks:
    if isinstance(row, RefusedRanks):
        return VoiceRanks(row.dimension, row.seen, row.n, refused=row.refused)
    halves = None if isinstance(row.ceiling, Refusal) else row.ceiling.distance
    return VoiceRanks(row.dimension, row.seen, row.n, row.distance, row.p, row.method, halves)

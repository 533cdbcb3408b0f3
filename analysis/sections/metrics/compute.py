"""External metrics beside the human scores, with their correlations (SP-MCQA paper, Table 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.metrics import queries
from analysis.sections.metrics import paired
from analysis.sections.metrics.result import Metric, Metrics

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.metrics.models import MetricSet


def compute(study_id: int, frame: DataFrame) -> Metrics:
    """Compare each of the study's metrics with its ratings, in the order of their names; the newest of each name."""
    newest: dict[str, MetricSet] = {}
    for each in queries.sets(study_id):
        newest.setdefault(each.name, each)
    people = paired.clips(frame)
    coverage = queries.coverage(list(newest.values()), study_id)
    return Metrics(
        tables=tuple(_metric(newest[name], frame, people, coverage[newest[name].pk]) for name in sorted(newest))
    )


def _metric(of: MetricSet, frame: DataFrame, people: DataFrame, coverage: queries.Coverage) -> Metric:
    table = paired.beside(people, queries.values(of.pk), queries.trained_on(of))
    systems = paired.systems(table, frame)
    by_clip, by_system = paired.correlations(table, systems)
    return Metric(
        name=of.name,
        source=of.source,
        direction=of.direction,
        scale=None if of.low is None or of.high is None else (of.low, of.high),
        scored=coverage.scored,
        failed=coverage.failed,
        missing=coverage.missing,
        systems=tuple(systems),
        clip=by_clip,
        system=by_system,
    )

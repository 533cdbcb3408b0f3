"""External metrics and listeners' scores, with their correlations (SP-MCQA paper, Table 3)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from analysis.data.frame import counted
from analysis.metrics import queries
from analysis.sections.inputs import guarded
from analysis.sections.metrics import Metric, Metrics, SystemMeans
from analysis.sections.shared import Refusal
from analysis.stats.figures import Correlation
from analysis.stats.machines import correlate

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.metrics.models import MetricSet

OF_CLIP = ("system", "kind", "voice", "dimension", "language")


def rated_clips(frame: DataFrame) -> DataFrame:
    """Return a row per clip with ratings: `people` (mean of ratings that count), `ratings`, and its groups."""
    rows = counted(frame)
    grouped = rows.groupby("clip", observed=True)
    means = grouped.agg(people=("score", "mean"), ratings=("score", "size"))
    return means.join(grouped[list(OF_CLIP)].first())


def beside(people: DataFrame, values: Mapping[int, float], seen: Collection[int] = ()) -> DataFrame:
    """Return the clips of `people` with a value (column `machine`), without those `seen` in training."""
    machine = people.index.map(values)
    table = people.assign(machine=np.asarray(machine, dtype=np.float64))
    return table[table["machine"].notna().to_numpy() & ~table.index.isin(list(seen))]


def system_means(paired: DataFrame, frame: DataFrame) -> list[SystemMeans]:
    """Return each system's means over the paired clips: listeners' over ratings (rule C1), the metric's over clips."""
    rows = counted(frame)
    rows = rows[rows["clip"].isin(paired.index)]
    people = rows.groupby(["system", "kind"], observed=True)["score"].agg(["mean", "size"])
    machine = paired.groupby(["system", "kind"], observed=True)["machine"].agg(["mean", "size"])
    return [
        SystemMeans(
            name=str(name),
            kind=str(kind),
            mean=float(machine.loc[(name, kind), "mean"]),
            score=float(people.loc[(name, kind), "mean"]),
            clips=int(machine.loc[(name, kind), "size"]),
            ratings=int(people.loc[(name, kind), "size"]),
        )
        for name, kind in machine.index
    ]


def correlations(paired: DataFrame, listed: list[SystemMeans]) -> tuple[Correlation | Refusal, Correlation | Refusal]:
    """Correlate the metric with listeners' scores over clips and over systems, without human recordings and anchors."""
    own = paired[(paired["kind"] == "").to_numpy()]
    of_systems = [row for row in listed if not row.kind]
    return (
        correlation(own["machine"], own["people"]),
        correlation([row.mean for row in of_systems], [row.score for row in of_systems]),
    )


def correlation(machine: ArrayLike, people: ArrayLike) -> Correlation | Refusal:
    """Return one correlation, or why there is none."""
    return guarded(lambda: correlate(np.asarray(machine, dtype=np.float64), np.asarray(people, dtype=np.float64)))


def compute(study_id: int, frame: DataFrame) -> Metrics:
    """Compare each of the study's metrics with its ratings, by name; of metrics with the same name, the newest."""
    newest: dict[str, MetricSet] = {}
    for each in queries.sets(study_id):
        newest.setdefault(each.name, each)
    people = rated_clips(frame)
    coverage = queries.coverage(list(newest.values()), study_id)
    return Metrics(
        tables=tuple(_metric(newest[name], frame, people, coverage[newest[name].pk]) for name in sorted(newest))
    )


def _metric(of: MetricSet, frame: DataFrame, people: DataFrame, coverage: queries.Coverage) -> Metric:
    table = beside(people, queries.values(of.pk), queries.trained_on(of))
    systems = system_means(table, frame)
    by_clip, by_system = correlations(table, systems)
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

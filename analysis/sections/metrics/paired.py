"""What a machine and people said of the same clips, side by side."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from analysis.data.frame import counted
from analysis.sections.inputs import guarded
from analysis.sections.metrics.result import System
from analysis.sections.shared import Refusal
from analysis.stats.figures import Correlation
from analysis.stats.machines.correlation import correlate

if TYPE_CHECKING:
    from pandas import DataFrame

OF_CLIP = ("system", "kind", "voice", "dimension", "language")


def clips(frame: DataFrame) -> DataFrame:
    """Return the clips that people scored, one row each: `people` (mean of ratings that count), `ratings`, groups."""
    rows = counted(frame)
    grouped = rows.groupby("clip", observed=True)
    means = grouped.agg(people=("score", "mean"), ratings=("score", "size"))
    return means.join(grouped[list(OF_CLIP)].first())


def beside(people: DataFrame, values: Mapping[int, float], seen: Collection[int] = ()) -> DataFrame:
    """Return the clips of `people` that have a value (column `machine`), but for those `seen` in training."""
    machine = people.index.map(values)
    table = people.assign(machine=np.asarray(machine, dtype=np.float64))
    return table[table["machine"].notna().to_numpy() & ~table.index.isin(list(seen))]


def systems(paired: DataFrame, frame: DataFrame) -> list[System]:
    """Return each system's means over the paired clips: people's of their ratings (rule C1), the machine's of clips."""
    rows = counted(frame)
    rows = rows[rows["clip"].isin(paired.index)]
    people = rows.groupby(["system", "kind"], observed=True)["score"].agg(["mean", "size"])
    machine = paired.groupby(["system", "kind"], observed=True)["machine"].agg(["mean", "size"])
    return [
        System(
            name=str(name),
            kind=str(kind),
            mean=float(machine.loc[(name, kind), "mean"]),
            score=float(people.loc[(name, kind), "mean"]),
            clips=int(machine.loc[(name, kind), "size"]),
            ratings=int(people.loc[(name, kind), "size"]),
        )
        for name, kind in machine.index
    ]


def correlations(paired: DataFrame, listed: list[System]) -> tuple[Correlation | Refusal, Correlation | Refusal]:
    """Correlate the metric with people's scores over clips and over systems, without human recordings and anchors."""
    own = paired[(paired["kind"] == "").to_numpy()]
    of_systems = [row for row in listed if not row.kind]
    return (
        correlation(own["machine"], own["people"]),
        correlation([row.mean for row in of_systems], [row.score for row in of_systems]),
    )


def correlation(machine: ArrayLike, people: ArrayLike) -> Correlation | Refusal:
    """Return one correlation, or why there is none."""
    return guarded(lambda: correlate(np.asarray(machine, dtype=np.float64), np.asarray(people, dtype=np.float64)))

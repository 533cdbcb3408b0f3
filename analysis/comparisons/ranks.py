"""Voices as ranked by a metric and by listeners, over all clips and by dimension (ATT paper, Table 4)."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from analysis.comparisons.machine import Machine
from analysis.comparisons.result import Ranks, RefusedRanks, Voice
from analysis.data.frame import counted
from analysis.sections.inputs import guarded
from analysis.stats.design import NotEstimable
from analysis.stats.machines import split_half
from analysis.stats.ranking import kendall

if TYPE_CHECKING:
    from pandas import DataFrame, Series

KEY = ["system", "voice"]
# Fixed, so that every run gives the same figures.
SEED = 20250516


def compare(machine: Machine, paired: DataFrame, frame: DataFrame) -> list[Ranks | RefusedRanks]:
    """Return Kendall's distance and the raters' own ceiling: first for all clips (name ""), then by dimension.

    Human recordings and anchors are not ranked.
    """
    clips = paired[(paired["kind"] == "").to_numpy()]
    rows = counted(frame)
    rows = rows[rows["clip"].isin(clips.index)]
    names = sorted({str(name) for name in clips["dimension"]} - {""})
    by_dimension = [
        _compared(machine, name, clips[clips["dimension"] == name], rows[rows["dimension"] == name]) for name in names
    ]
    return [_compared(machine, "", clips, rows), *by_dimension]


def voices(machine: Machine, paired: DataFrame, frame: DataFrame) -> list[Voice]:
    """Return each voice's means and ranks, ordered by listeners, best first; ties share a rank."""
    clips = paired[(paired["kind"] == "").to_numpy()]
    rows = counted(frame)
    people, means = _means(clips, rows[rows["clip"].isin(clips.index)])
    places = (machine.listeners * people).rank(ascending=False), (machine.sign * means).rank(ascending=False)
    table = [
        Voice(
            system=str(key[0]),
            voice=str(key[1]),
            people=float(people[key]),
            machine=float(means[key]),
            people_place=float(places[0][key]),
            machine_place=float(places[1][key]),
        )
        for key in people.index
    ]
    return sorted(table, key=lambda row: (row.people_place, row.system, row.voice))


def _means(clips: DataFrame, rows: DataFrame) -> tuple[Series[float], Series[float]]:
    people = rows.groupby(KEY, observed=True)["score"].mean().round(12)
    return people, clips.groupby(KEY, observed=True)["machine"].mean().round(12).reindex(people.index)


def _compared(machine: Machine, dimension: str, clips: DataFrame, rows: DataFrame) -> Ranks | RefusedRanks:
    rng = np.random.default_rng(SEED)
    people, means = _means(clips, rows)
    seen = bool(dimension) and dimension in machine.dimensions
    try:
        distance = kendall(machine.sign * np.asarray(means), machine.listeners * np.asarray(people), rng)
    except NotEstimable as error:
        return RefusedRanks(dimension=dimension, seen=seen, refused=str(error), n=len(people))
    voice = np.asarray(rows.groupby(KEY, observed=True).ngroup(), dtype=np.int64)
    ceiling = guarded(lambda: split_half(rows["score"].to_numpy(), rows["rater"].to_numpy(), voice, rng))
    return Ranks(
        dimension=dimension, seen=seen, **asdict(distance), clips=len(clips), ratings=len(rows), ceiling=ceiling
    )

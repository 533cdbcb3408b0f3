"""Everything that the page on machines says of one machine, or two, as one JSON value."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.comparisons import ranks, traps
from analysis.comparisons.machine import SCHEMA, Machine
from analysis.data import frame as frames
from analysis.data.models import Simulated
from analysis.metrics.models import MetricSet
from analysis.sections.metrics import compute as metrics_compute
from analysis.sections.results import dump
from analysis.sections.shared import Refusal
from analysis.stats.design import NotEstimable
from analysis.stats.figures import Correlation
from analysis.stats.machines import calibrate, disagreement
from analysis.stats.machines import paired_drift as drifted
from studies.clips import queries as clips_queries
from studies.definition import queries as definition_queries

if TYPE_CHECKING:
    from pandas import DataFrame

# So many clips are drawn; more would only lie on one another.
DRAWN = 600


def compute(*, study_id: int, first: MetricSet, second: MetricSet | None, simulated: Simulated) -> dict[str, Any]:
    """Hold one or two machines against a study's raters: the ratings are read once, 130 bytes each."""
    scale = definition_queries.definition(definition_queries.study_of(study_id)).kind.score
    frame = frames.scores(study_id, simulated.flag)
    labels = clips_queries.labels(study_id)
    people = metrics_compute.rated_clips(frame)
    machines = [Machine.read(each) for each in (first, second) if each is not None]
    return {
        "schema": SCHEMA,
        "scale": {"name": scale.name, "low": scale.low, "high": scale.high, "unit": scale.unit},
        "clips": len(people),
        "ratings": int(people["ratings"].sum()),
        "raters": int(frames.counted(frame)["rater"].nunique()),
        "machines": [{"traps": traps.figures(each, labels), **_against(each, people, frame)} for each in machines],
        "between": _between(*machines) if len(machines) == 2 else None,
    }


def _against(machine: Machine, people: DataFrame, frame: DataFrame) -> dict[str, Any]:
    table = metrics_compute.beside(people, machine.values, machine.seen)
    systems = metrics_compute.system_means(table, frame)
    by_clip, by_system = metrics_compute.correlations(table, systems)
    return {
        "set": machine.of.pk,
        "formula": machine.formula,
        "paired": len(table),
        "left_out": len(set(people.index) & machine.seen),
        "systems": [dump(row) for row in systems],
        "clip": _correlation(by_clip),
        "system": _correlation(by_system),
        "ranks": ranks.figures(machine, table, frame),
        "voices": ranks.voices(machine, table, frame),
        "points": _points(table),
        "calibration": _calibrations(machine, table, frame),
        "apart": apart(machine, table),
    }


def _points(table: DataFrame) -> list[list[Any]]:
    """Return (machine, people, kind) of clips, thinned out evenly where there are many."""
    places = np.linspace(0, len(table) - 1, min(DRAWN, len(table))).round().astype(int)
    some = table.iloc[places]
    return [
        [float(machine), float(people), str(kind)]
        for machine, people, kind in zip(some["machine"], some["people"], some["kind"], strict=True)
    ]


def apart(machine: Machine, table: DataFrame) -> list[dict[str, Any]]:
    """Return all clips, those first whose places by machine and by people are furthest apart."""
    difference = disagreement(machine.sign * table["machine"].to_numpy(), table["people"].to_numpy())
    order = np.argsort(-np.abs(difference), kind="stable")
    columns = [table.index, table["machine"], table["people"], table["ratings"], difference]
    rows = zip(*(np.asarray(column)[order].tolist() for column in columns), strict=True)
    return [dict(zip(("clip", "machine", "people", "ratings", "difference"), row, strict=True)) for row in rows]


def _calibrations(machine: Machine, table: DataFrame, frame: DataFrame) -> list[dict[str, Any]]:
    """Return a calibration for each language: what holds for one need not hold for another (rule F4)."""
    own = table[(table["kind"] == "").to_numpy()]
    calibrations = []
    for language in sorted({str(each) for each in own["language"]}):
        systems = metrics_compute.system_means(own[own["language"] == language], frame)
        means = np.array([machine.sign * row.mean for row in systems])
        try:
            fit = calibrate(means, np.array([row.score for row in systems]))
        except NotEstimable as error:
            calibrations.append({"language": language, "systems": len(systems), "refused": str(error)})
            continue
        calibrations.append(
            {
                "language": language,
                "systems": len(systems),
                "rows": [
                    {**dump(row), "left_out": float(expected)}
                    for row, expected in zip(systems, fit.left_out, strict=True)
                ],
                "at": (machine.sign * fit.at).tolist(),
                "fitted": fit.fitted.tolist(),
                "error": fit.error,
                "reach": fit.reach,
                "level": fit.level,
            }
        )
    return calibrations


def _correlation(correlation: Correlation | Refusal) -> dict[str, Any]:
    """Return a correlation, or why there is none, as JSON."""
    return dump(correlation) if isinstance(correlation, Refusal) else asdict(correlation)


def _between(first: Machine, second: Machine) -> dict[str, Any]:
    """Compare two metrics over all clips that both have values for; for two versions of one, also what changed."""
    clips = sorted(set(first.values) & set(second.values))
    values = [np.array([each.values[clip] for clip in clips]) for each in (first, second)]
    comparison: dict[str, Any] = {
        "clips": len(clips),
        "correlation": _correlation(metrics_compute.correlation(first.sign * values[0], second.sign * values[1])),
        "drift": None,
    }
    if first.of.name == second.of.name:
        older, newer = sorted(zip((first, second), values, strict=True), key=lambda each: each[0].of.pk)
        try:
            comparison["drift"] = {
                "older": older[0].of.pk,
                "newer": newer[0].of.pk,
                **asdict(drifted(older[1], newer[1])),
            }
        except NotEstimable as error:
            comparison["drift"] = {"refused": str(error)}
    return comparison

"""All figures of the comparison page, for one metric or two. Loads the statistics: only for workers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.comparisons import ranks
from analysis.comparisons.machine import Machine
from analysis.comparisons.result import (
    DRAWN,
    LISTED,
    SCHEMA,
    Between,
    CalibratedSystem,
    Calibration,
    ClipDifference,
    ClipDifferences,
    Figures,
    MachineFigures,
    Point,
    RefusedCalibration,
    Traps,
    VersionDrift,
)
from analysis.comparisons.traps import trap_test
from analysis.data import frame as frames
from analysis.data import sides
from analysis.data.models import Simulated
from analysis.metrics.models import MetricSet
from analysis.sections.metrics import compute as metrics_compute
from analysis.sections.shared import Refusal, Scale
from analysis.stats.design import Floats, NotEstimable
from analysis.stats.machines import calibrate, disagreement, paired_drift
from studies.clips import queries as clips_queries
from studies.clips.queries import Labels
from studies.definition import queries as definition_queries

if TYPE_CHECKING:
    from pandas import DataFrame


class Compared(NamedTuple):
    """The page's figures, and the full list of clips of each metric set."""

    figures: Figures
    clips: list[ClipDifferences]


def compute(*, study_id: int, first: MetricSet, second: MetricSet | None, simulated: Simulated) -> Compared:
    """Compare one or two metrics with a study's raters. Reads the ratings once, 130 bytes each."""
    kind = definition_queries.definition(definition_queries.study_of(study_id)).kind
    scale, frame, known = kind.score, frames.scores(study_id, simulated.flag), sides.sides_of(study_id, kind)
    if known is not None and known.baseline is None:
        frame = sides.both_sides(frame, study_id, known, scale.low + scale.high)
    labels = clips_queries.labels(study_id)
    people = metrics_compute.rated_clips(frame)
    machines = [Machine.read(each, scale.sign) for each in (first, second) if each is not None]
    tables = [metrics_compute.beside(people, each.values, each.seen) for each in machines]
    clips = [_apart(machine, table) for machine, table in zip(machines, tables, strict=True)]
    parts = zip(machines, tables, clips, strict=True)
    figures = Figures(
        version=SCHEMA,
        scale=Scale.of(scale),
        clips=len(people),
        ratings=int(people["ratings"].sum()),
        raters=int(frames.counted(frame)["rater"].nunique()),
        machines=tuple(_against(machine, table, apart, people, frame, labels) for machine, table, apart in parts),
        between=_between(*machines) if len(machines) == 2 else None,
    )
    return Compared(figures, clips)


def _against(
    machine: Machine,
    table: DataFrame,
    apart: ClipDifferences,
    people: DataFrame,
    frame: DataFrame,
    labels: Mapping[int, Labels],
) -> MachineFigures:
    systems = metrics_compute.system_means(table, frame)
    by_clip, by_system = metrics_compute.correlations(table, systems)
    return MachineFigures(
        traps=_traps(machine, labels),
        set=machine.of.pk,
        formula=machine.formula,
        paired=len(table),
        left_out=len(set(people.index) & machine.seen),
        systems=tuple(systems),
        clip=by_clip,
        system=by_system,
        ranks=tuple(ranks.compare(machine, table, frame)),
        voices=tuple(ranks.voices(machine, table, frame)),
        points=tuple(_points(table)),
        calibration=tuple(_calibrations(machine, table, frame)),
        apart=tuple(
            ClipDifference(clip=clip, machine=value, people=score, ratings=ratings, difference=difference)
            for clip, value, score, ratings, difference in islice(apart.rows(), LISTED)
        ),
    )


def _traps(machine: Machine, labels: Mapping[int, Labels]) -> Traps:
    test = trap_test(machine, labels)
    mapped = test.mapped
    return Traps(
        asked=test.asked,
        scored=len(test.clips),
        human=_floats(_thinned(test.values[test.human])),
        flawed=_floats(_thinned(test.values[~test.human])),
        mapped_human=None if mapped is None else _floats(_thinned(mapped[test.human])),
        mapped_flawed=None if mapped is None else _floats(_thinned(mapped[~test.human])),
        auc=test.auc,
        at=test.at,
        at_half=test.at_half,
    )


def _points(table: DataFrame) -> list[Point]:
    some = table.iloc[_thinned(np.arange(len(table)))]
    return [
        (float(machine), float(people), str(kind))
        for machine, people, kind in zip(some["machine"], some["people"], some["kind"], strict=True)
    ]


def _thinned(values: NDArray[Any]) -> NDArray[Any]:
    """Return at most `DRAWN` values, spread evenly."""
    drawn: NDArray[Any] = values[np.linspace(0, len(values) - 1, min(DRAWN, len(values))).round().astype(int)]
    return drawn


def _apart(machine: Machine, table: DataFrame) -> ClipDifferences:
    """Order clips by how far their ranks by metric and by listeners differ, largest first."""
    difference = disagreement(
        machine.sign * table["machine"].to_numpy(), machine.listeners * table["people"].to_numpy()
    )
    order = np.argsort(-np.abs(difference), kind="stable")
    columns = {"clip": table.index, "difference": difference} | {
        name: table[name] for name in ("machine", "people", "ratings")
    }
    ordered = {name: np.asarray(column)[order].tolist() for name, column in columns.items()}
    return ClipDifferences(set=machine.of.pk, **ordered)


def _calibrations(machine: Machine, table: DataFrame, frame: DataFrame) -> list[Calibration | RefusedCalibration]:
    """Calibrate each language separately: a fit for one need not hold for another (rule F4)."""
    own = table[(table["kind"] == "").to_numpy()]
    languages = sorted({str(each) for each in own["language"]})
    return [
        _calibration(machine, language, own[(own["language"] == language).to_numpy()], frame) for language in languages
    ]


def _calibration(
    machine: Machine, language: str, clips: DataFrame, frame: DataFrame
) -> Calibration | RefusedCalibration:
    systems = metrics_compute.system_means(clips, frame)
    turn = machine.sign * machine.listeners
    means = np.array([turn * row.mean for row in systems])
    try:
        fit = calibrate(means, np.array([row.score for row in systems]))
    except NotEstimable as error:
        return RefusedCalibration(language=language, systems=len(systems), refused=str(error))
    return Calibration(
        language=language,
        systems=len(systems),
        rows=tuple(
            CalibratedSystem(**dict(row), left_out=float(expected))
            for row, expected in zip(systems, fit.left_out, strict=True)
        ),
        at=_floats(turn * fit.at),
        fitted=_floats(fit.fitted),
        error=fit.error,
        reach=fit.reach,
        level=fit.level,
    )


def _floats(values: Floats) -> tuple[float, ...]:
    return tuple(values.tolist())


def _between(first: Machine, second: Machine) -> Between:
    """Compare two metrics over the clips that have both values; for two versions of one metric, also the drift."""
    clips = sorted(set(first.values) & set(second.values))
    values = [np.array([each.values[clip] for clip in clips]) for each in (first, second)]
    drift: VersionDrift | Refusal | None = None
    if first.of.name == second.of.name:
        older, newer = sorted(zip((first, second), values, strict=True), key=lambda each: each[0].of.pk)
        try:
            change = paired_drift(older[1], newer[1])
        except NotEstimable as error:
            drift = Refusal(refused=str(error))
        else:
            drift = VersionDrift(older=older[0].of.pk, newer=newer[0].of.pk, **asdict(change))
    return Between(
        clips=len(clips),
        correlation=metrics_compute.correlation(first.sign * values[0], second.sign * values[1]),
        drift=drift,
    )

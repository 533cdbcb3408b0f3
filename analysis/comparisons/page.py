"""Figures of metrics and listeners, formatted for the page's templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from analysis.comparisons import drawing, result
from analysis.plots.charts import Axis
from analysis.sections.blocks import display_name
from analysis.sections.shared import Refusal
from analysis.stats.figures import Correlation, YesNo
from core.text.numbers import percent, rounded

if TYPE_CHECKING:
    from analysis.metrics.models import MetricSet
    from studies.clips.queries import Labels


@dataclass(frozen=True, slots=True)
class TrapTable:
    """Trap clips: the plot, AUC, and the figures at the middle of the scale, or why there are none."""

    scored: int
    asked: int
    picture: drawing.Strip | None
    auc: str
    refused: str = ""
    at: YesNo | None = None
    precision: str = ""
    recall: str = ""
    f1: str = ""
    balanced: str = ""
    always: str = ""


@dataclass(frozen=True, slots=True)
class RankRow:
    """How the metric and listeners rank a dimension's voices."""

    dimension: str
    seen: bool
    n: int
    distance: str
    p: str
    smallest_p: str
    is_exact: bool
    ceiling: str
    ceiling_range: str
    ceiling_refused: str


@dataclass(frozen=True, slots=True)
class VoiceRow:
    """A voice with its means and ranks."""

    system: str
    voice: str
    people: str
    machine: str
    people_place: str
    machine_place: str


@dataclass(frozen=True, slots=True)
class Correlated:
    """A correlation over `n` pairs."""

    n: int
    pearson: str
    spearman: str


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system with its means by metric and by listeners."""

    name: str
    machine: str
    people: str
    clips: int
    ratings: int


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    """A system, and the score predicted for it from the other systems."""

    name: str
    machine: str
    people: str
    left_out: str


@dataclass(frozen=True, slots=True)
class CalibrationTable:
    """The calibration on the systems of one language."""

    language: str
    systems: int
    error: str
    reach: str
    level: str
    rows: list[CalibrationRow]


@dataclass(frozen=True, slots=True)
class ClipRow:
    """A clip on which the metric and listeners differ."""

    clip: int
    file: str
    machine: str
    people: str
    ratings: int
    difference: str


@dataclass(frozen=True, slots=True)
class MachineView:
    """One metric's rows in every section of the page."""

    set: MetricSet
    left_out: int
    formula: str
    traps: TrapTable
    ranks: list[RankRow | result.RefusedRanks]
    voices: list[VoiceRow]
    correlations: list[tuple[str, Correlated | Refusal]]
    scatter: drawing.Scatter
    systems: list[SystemRow]
    calibrations: list[CalibrationTable | result.RefusedCalibration]
    apart: list[ClipRow]


@dataclass(frozen=True, slots=True)
class DriftRow:
    """What changed from the older version of a metric to the newer one."""

    older: MetricSet
    newer: MetricSet
    mean: str
    low: str
    high: str
    sd: str
    rose: int
    fell: int
    n: int


@dataclass(frozen=True, slots=True)
class View:
    """The page's content: one metric, or two with their correlation and, for two versions of one metric, the drift."""

    scale: result.Scale
    clips: int
    ratings: int
    raters: int
    machines: list[MachineView]
    is_pair: bool
    correlation: Correlated | Refusal | None
    drift: DriftRow | Refusal | None


def view(figures: result.Figures, sets: Mapping[int, MetricSet], labels: Mapping[int, Labels]) -> View | None:
    """Return the page's content; None if one of its metrics has been deleted."""
    if any(machine.set not in sets for machine in figures.machines):
        return None
    return View(
        scale=figures.scale,
        clips=figures.clips,
        ratings=figures.ratings,
        raters=figures.raters,
        machines=[_machine(machine, sets[machine.set], figures.scale, labels) for machine in figures.machines],
        is_pair=len(figures.machines) == 2,
        correlation=_correlation(figures.between.correlation) if figures.between else None,
        drift=_drift(figures.between.drift, sets) if figures.between else None,
    )


def _machine(
    figures: result.MachineFigures, of: MetricSet, scale: result.Scale, labels: Mapping[int, Labels]
) -> MachineView:
    axis = Axis(scale.low, scale.high, scale.unit)
    return MachineView(
        set=of,
        left_out=figures.left_out,
        formula=figures.formula,
        traps=_traps(figures.traps, of),
        ranks=[_ranked(row) for row in figures.ranks],
        voices=[_voice(row, axis) for row in figures.voices],
        correlations=[
            (_("Over clips"), _correlation(figures.clip)),
            (_("Over systems"), _correlation(figures.system)),
        ],
        scatter=drawing.scatter(figures, scale, of.low, of.high),
        systems=[
            SystemRow(
                display_name(row.name, row.kind), number(row.mean), axis.show(row.score, 1), row.clips, row.ratings
            )
            for row in figures.systems
        ],
        calibrations=[_calibration(row, axis) for row in figures.calibration],
        apart=[_clip(row, axis, labels[row.clip]) for row in figures.apart if row.clip in labels],
    )


def _traps(traps: result.Traps, of: MetricSet) -> TrapTable:
    picture = drawing.strip(traps, of.low, of.high) if traps.scored else None
    auc, at = number(traps.auc), traps.at
    if isinstance(at, Refusal):
        return TrapTable(traps.scored, traps.asked, picture, auc, at.refused)
    shares = {name: number(getattr(at, name), 2) for name in ("precision", "recall", "f1", "balanced", "always")}
    return TrapTable(traps.scored, traps.asked, picture, auc, at=at, **shares)


def _ranked(row: result.Ranks | result.RefusedRanks) -> RankRow | result.RefusedRanks:
    if isinstance(row, result.RefusedRanks):
        return row
    ceiling = None if isinstance(row.ceiling, Refusal) else row.ceiling
    return RankRow(
        dimension=row.dimension,
        seen=row.seen,
        n=row.n,
        distance=number(row.distance, 4),
        p=number(row.p, 4),
        smallest_p=f"{row.smallest_p:.2g}",
        is_exact=row.method == "exact",
        ceiling=number(ceiling.distance if ceiling else None, 4),
        ceiling_range=f"{number(ceiling.low, 2)} – {number(ceiling.high, 2)}" if ceiling else "",
        ceiling_refused=row.ceiling.refused if isinstance(row.ceiling, Refusal) else "",
    )


def _voice(row: result.Voice, axis: Axis) -> VoiceRow:
    people, machine = axis.show(row.people, 1), number(row.machine)
    return VoiceRow(row.system, row.voice, people, machine, f"{row.people_place:g}", f"{row.machine_place:g}")


def _correlation(figures: Correlation | Refusal) -> Correlated | Refusal:
    if isinstance(figures, Refusal):
        return figures
    return Correlated(figures.n, number(figures.pearson), number(figures.spearman))


def _calibration(
    line: result.Calibration | result.RefusedCalibration, axis: Axis
) -> CalibrationTable | result.RefusedCalibration:
    if isinstance(line, result.RefusedCalibration):
        return line
    rows = [
        CalibrationRow(
            display_name(row.name, row.kind), number(row.mean), axis.show(row.score, 1), axis.show(row.left_out, 1)
        )
        for row in line.rows
    ]
    error, reach = axis.show(line.error, 1), axis.show(line.reach, 1)
    return CalibrationTable(line.language, line.systems, error, reach, percent(line.level), rows)


def _clip(row: result.ClipDifference, axis: Axis, label: Labels) -> ClipRow:
    sign = "+" if row.difference > 0 else "−" if row.difference < 0 else ""
    return ClipRow(
        clip=row.clip,
        file=label.file,
        machine=number(row.machine),
        people=axis.show(row.people, 1),
        ratings=row.ratings,
        difference=f"{sign}{percent(abs(row.difference))}",
    )


def _drift(drift: result.VersionDrift | Refusal | None, sets: Mapping[int, MetricSet]) -> DriftRow | Refusal | None:
    if not isinstance(drift, result.VersionDrift):
        return drift
    return DriftRow(
        older=sets[drift.older],
        newer=sets[drift.newer],
        mean=number(drift.mean, 4),
        low=number(drift.low, 4),
        high=number(drift.high, 4),
        sd=number(drift.sd, 4),
        rose=drift.rose,
        fell=drift.fell,
        n=drift.n,
    )


def number(value: float | None, digits: int = 3) -> str:
    """Return a rounded number with a true minus sign; a dash for None."""
    return "–" if value is None else rounded(value, digits).replace("-", "−")

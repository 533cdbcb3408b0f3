"""Figures of machines against people, with the pictures and names that the page adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from analysis.comparisons import drawing, result
from analysis.plots.charts import Axis

if TYPE_CHECKING:
    from analysis.metrics.models import MetricSet
    from analysis.sections.shared import Scale
    from studies.clips.queries import Labels


def view(figures: result.Figures, sets: Mapping[int, MetricSet], labels: Mapping[int, Labels]) -> dict[str, Any] | None:
    """Return what the page shows; None when a machine was removed meanwhile."""
    if any(machine.set not in sets for machine in figures.machines):
        return None
    scale = figures.scale
    return {
        "figures": figures,
        "axis": Axis(scale.low, scale.high, scale.unit),
        "machines": [_machine(machine, sets[machine.set], scale, labels) for machine in figures.machines],
        "is_pair": len(figures.machines) == 2,
    }


def _machine(
    figures: result.MachineFigures, of: MetricSet, scale: Scale, labels: Mapping[int, Labels]
) -> dict[str, Any]:
    apart = [(row, labels[row.clip]) for row in figures.apart if row.clip in labels]
    return {
        "set": of,
        "figures": figures,
        "strip": drawing.strip(figures.traps, of.low, of.high) if figures.traps.scored else None,
        "scatter": drawing.scatter(figures, scale, of.low, of.high),
        "apart": apart,
        "has_voices": any(clip.groups.voice for _row, clip in apart),
        "has_takes": any(clip.take for _row, clip in apart),
    }

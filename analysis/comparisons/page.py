"""Figures of machines against people, as the page's templates want them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from analysis.comparisons import drawing
from analysis.plots.charts import Axis, percent, rounded

if TYPE_CHECKING:
    from analysis.metrics.models import MetricSet
    from studies.clips.queries import Labels

# So many clips are listed on the page; the CSV has them all.
LISTED = 20


def view(
    figures: Mapping[str, Any], sets: Mapping[int, MetricSet], labels: Mapping[int, Labels]
) -> dict[str, Any] | None:
    """Return what the page shows; None when a machine was removed meanwhile."""
    if any(machine["set"] not in sets for machine in figures["machines"]):
        return None
    scale = figures["scale"]
    axis = Axis(scale["low"], scale["high"], scale["unit"])
    machines = [machine(row, sets[row["set"]], axis, scale, labels) for row in figures["machines"]]
    return {
        "scale": scale,
        "clips": figures["clips"],
        "ratings": figures["ratings"],
        "raters": figures["raters"],
        "machines": machines,
        "is_pair": len(machines) == 2,
        "between": between(figures["between"], sets) if figures["between"] else None,
    }


def machine(
    figures: Mapping[str, Any], of: MetricSet, axis: Axis, scale: Mapping[str, Any], labels: Mapping[int, Labels]
) -> dict[str, Any]:
    """Return one machine's part of every section."""
    return {
        "set": of,
        "paired": figures["paired"],
        "left_out": figures["left_out"],
        "formula": figures["formula"],
        "traps": traps(figures["traps"], of),
        "ranks": [ranked(row) for row in figures["ranks"]],
        "voices": [voice(row, axis) for row in figures["voices"]],
        "correlations": [
            (_("Over clips"), correlation(figures["clip"])),
            (_("Over systems"), correlation(figures["system"])),
        ],
        "scatter": drawing.scatter(figures, scale, of.low, of.high),
        "systems": [
            {**row, "machine": number(row["mean"]), "people": axis.show(row["score"], 1)} for row in figures["systems"]
        ],
        "calibrations": [calibration(row, axis) for row in figures["calibration"]],
        "apart": [apart(row, axis, labels) for row in figures["apart"] if row["clip"] in labels][:LISTED],
    }


def traps(figures: Mapping[str, Any], of: MetricSet) -> dict[str, Any]:
    at = figures["at"]
    shown: dict[str, Any] = {
        **figures,
        "auc": number(figures["auc"]),
        "picture": drawing.strip(figures, of.low, of.high) if figures["scored"] else None,
        "refused": at.get("refused", ""),
    }
    if not shown["refused"]:
        names = ("precision", "recall", "f1", "balanced", "always")
        shown |= {name: number(at[name], 2) for name in names}
        shown["at"] = at
    return shown


def ranked(row: Mapping[str, Any]) -> dict[str, Any]:
    if "refused" in row:
        return {**row}
    ceiling = row["ceiling"]
    return {
        **row,
        "distance": number(row["distance"], 4),
        "p": number(row["p"], 4),
        "smallest_p": f"{row['smallest_p']:.2g}",
        "is_exact": row["method"] == "exact",
        "ceiling": number(ceiling.get("distance"), 4),
        "ceiling_range": f"{number(ceiling['low'], 2)} – {number(ceiling['high'], 2)}" if "low" in ceiling else "",
        "ceiling_refused": ceiling.get("refused", ""),
    }


def voice(row: Mapping[str, Any], axis: Axis) -> dict[str, Any]:
    return {
        **row,
        "people": axis.show(row["people"], 1),
        "machine": number(row["machine"]),
        "people_place": f"{row['people_place']:g}",
        "machine_place": f"{row['machine_place']:g}",
    }


def correlation(figures: Mapping[str, Any]) -> dict[str, Any]:
    if "refused" in figures:
        return {**figures}
    return {"n": figures["n"], "pearson": number(figures["pearson"]), "spearman": number(figures["spearman"])}


def calibration(figures: Mapping[str, Any], axis: Axis) -> dict[str, Any]:
    if "refused" in figures:
        return {**figures}
    return {
        "language": figures["language"],
        "systems": figures["systems"],
        "error": axis.show(figures["error"], 1),
        "reach": axis.show(figures["reach"], 1),
        "level": percent(figures["level"]),
        "rows": [
            {
                "name": row["name"],
                "machine": number(row["mean"]),
                "people": axis.show(row["score"], 1),
                "left_out": axis.show(row["left_out"], 1),
            }
            for row in figures["rows"]
        ],
    }


def apart(row: Mapping[str, Any], axis: Axis, labels: Mapping[int, Labels]) -> dict[str, Any]:
    label = labels[row["clip"]]
    return {
        "clip": row["clip"],
        "file": label.file,
        "system": label.groups.system,
        "machine": number(row["machine"]),
        "people": axis.show(row["people"], 1),
        "ratings": row["ratings"],
        "difference": f"{'+' if row['difference'] > 0 else '−' if row['difference'] < 0 else ''}"
        f"{percent(abs(row['difference']))}",
    }


def between(figures: Mapping[str, Any], sets: Mapping[int, MetricSet]) -> dict[str, Any]:
    drift = figures["drift"]
    if drift and "mean" in drift:
        names = {name: number(drift[name], 4) for name in ("mean", "low", "high", "sd")}
        drift = {**drift, **names, "older": sets[drift["older"]], "newer": sets[drift["newer"]]}
    return {"clips": figures["clips"], "correlation": correlation(figures["correlation"]), "drift": drift}


def number(value: float | None, digits: int = 3) -> str:
    """Return a rounded number, with a true minus; a dash where there is none."""
    return "–" if value is None else rounded(value, digits).replace("-", "−")

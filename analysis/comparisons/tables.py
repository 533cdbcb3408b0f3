"""Figures of machines against people as tidy rows, for a CSV file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from analysis.exports.columns import Column, cell

if TYPE_CHECKING:
    from analysis.metrics.models import MetricSet
    from studies.clips.queries import Labels

FIGURES = (
    Column("metric", "text", "Name of the metric."),
    Column("set", "number", "Number of the metric set."),
    Column("section", "code", "What the row is about."),
    Column("group", "text", "Dimension, system, level or language; empty: all."),
    Column("figure", "code", "Which figure."),
    Column("value", "number", "The figure; empty where it can't be had."),
    Column("why", "text", "Why it can't be had."),
)
CLIPS = (
    Column("metric", "text", "Name of the metric."),
    Column("set", "number", "Number of the metric set."),
    Column("clip", "text", "File of the clip, as in the manifest."),
    Column("system", "text", "Speech synthesiser, or human."),
    Column("voice", "text", "Voice of the system."),
    Column("dimension", "text", "Group of texts."),
    Column("machine", "number", "The metric's value."),
    Column("people", "number", "Mean of the ratings that count."),
    Column("ratings", "number", "How many those are."),
    Column("difference", "number", "Place by machine less place by people, each from 0 to 1."),
)
# Keys that hold no figure of their own.
PLAIN = ("distance", "p", "smallest_p", "n", "clips", "ratings")


def figures(results: Mapping[str, Any], sets: Mapping[int, MetricSet]) -> Iterator[list[str]]:
    """Yield the header, then a row for each figure."""
    yield [column.name for column in FIGURES]
    for machine in results["machines"]:
        of = sets[machine["set"]]
        for row in _rows(machine):
            values = {
                "metric": of.name,
                "set": of.pk,
                **dict(zip(("section", "group", "figure", "value", "why"), row, strict=True)),
            }
            yield [cell(column, values[column.name]) for column in FIGURES]


def clips(
    results: Mapping[str, Any], sets: Mapping[int, MetricSet], labels: Mapping[int, Labels]
) -> Iterator[list[str]]:
    """Yield the header, then a row for each machine and clip, the most different first."""
    yield [column.name for column in CLIPS]
    for machine in results["machines"]:
        of = sets[machine["set"]]
        for row in machine["apart"]:
            if row["clip"] in labels:
                label = labels[row["clip"]]
                own = {"system": label.groups.system, "voice": label.groups.voice, "dimension": label.groups.dimension}
                values = {**row, **own, "metric": of.name, "set": of.pk, "clip": label.file}
                yield [cell(column, values[column.name]) for column in CLIPS]


Row = tuple[str, str, str, float | None, str]


def _rows(machine: Mapping[str, Any]) -> Iterator[Row]:
    traps = machine["traps"]
    yield "traps", "", "auc", traps["auc"], ""
    yield from _each("traps", "", traps["at"])
    for level in ("clip", "system"):
        yield from _each("correlation", level, machine[level])
    for row in machine["ranks"]:
        group = row["dimension"]
        yield from _each("kendall", group, {key: row[key] for key in (*PLAIN, "refused") if key in row})
        if "ceiling" in row:
            yield from _each("split_half", group, row["ceiling"])
    for row in machine["systems"]:
        yield from _each("system", row["name"], {key: row[key] for key in ("mean", "score", "clips", "ratings")})
    for row in machine["calibration"]:
        cells = {key: row[key] for key in ("systems", "error", "reach", "level", "refused") if key in row}
        yield from _each("calibration", row["language"], cells)


def _each(section: str, group: str, figures: Mapping[str, Any]) -> Iterator[Row]:
    for name, value in figures.items():
        if name == "refused":
            yield section, group, "refused", None, str(value)
        else:
            yield section, group, name, value, ""

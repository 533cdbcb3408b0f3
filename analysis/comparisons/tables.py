"""Figures of metrics and listeners as tidy rows, for a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from analysis.comparisons.result import ClipDifferences, Figures, MachineFigures, RefusedCalibration, RefusedRanks
from analysis.exports.columns import Cell, Column, cell
from analysis.sections.shared import Record, Refusal
from analysis.stats.figures import Ceiling, Correlation, YesNo

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
PAGE = 1_000
KENDALL = ("distance", "p", "smallest_p", "n", "clips", "ratings")


def figures(results: Figures, sets: Mapping[int, MetricSet]) -> Iterator[list[str]]:
    """Yield the header, then a row for each figure."""
    yield [column.name for column in FIGURES]
    for machine in results.machines:
        of = sets[machine.set]
        for row in _rows(machine):
            yield _cells(FIGURES, of.name, of.pk, *row)


def clips(
    results: Sequence[ClipDifferences],
    sets: Mapping[int, MetricSet],
    labels_of: Callable[[Collection[int]], Mapping[int, Labels]],
) -> Iterator[list[str]]:
    """Yield the header, then a row for each metric and clip, the largest difference first; labels are read in pages."""
    yield [column.name for column in CLIPS]
    for machine in results:
        of, rows = sets[machine.set], machine.rows()
        while page := list(islice(rows, PAGE)):
            labels = labels_of([clip for clip, *_values in page])
            for clip, *values in page:
                if clip in labels:
                    label = labels[clip]
                    about = (label.file, label.groups.system, label.groups.voice, label.groups.dimension)
                    yield _cells(CLIPS, of.name, of.pk, *about, *values)


def csv_pages(rows: Iterator[list[str]]) -> Iterator[str]:
    """Yield the CSV text page by page."""
    while page := list(islice(rows, PAGE)):
        text = io.StringIO()
        csv.writer(text, lineterminator="\r\n").writerows(page)
        yield text.getvalue()


def _cells(columns: Sequence[Column], *values: Cell) -> list[str]:
    return [cell(column, value) for column, value in zip(columns, values, strict=True)]


class FigureRow(NamedTuple):
    """A figure of one metric set, in the columns that follow the set's own in `FIGURES`."""

    section: str
    group: str
    figure: str
    value: float | None
    why: str = ""


def _rows(machine: MachineFigures) -> Iterator[FigureRow]:
    yield FigureRow("traps", "", "auc", machine.traps.auc)
    yield from _all("traps", "", machine.traps.at)
    if not isinstance(machine.traps.at, Refusal):
        yield FigureRow("traps", "", "at_half", machine.traps.at_half)
    yield from _all("correlation", "clip", machine.clip)
    yield from _all("correlation", "system", machine.system)
    for rank in machine.ranks:
        if isinstance(rank, RefusedRanks):
            yield FigureRow("kendall", rank.dimension, "n", rank.n)
            yield _refused("kendall", rank.dimension, rank.refused)
        else:
            yield from _some("kendall", rank.dimension, rank, KENDALL)
            yield from _all("split_half", rank.dimension, rank.ceiling)
    for system in machine.systems:
        yield from _some("system", system.name, system, ("mean", "score", "clips", "ratings"))
    for line in machine.calibration:
        if isinstance(line, RefusedCalibration):
            yield FigureRow("calibration", line.language, "systems", line.systems)
            yield _refused("calibration", line.language, line.refused)
        else:
            yield from _some("calibration", line.language, line, ("systems", "error", "reach", "level"))


def _all(section: str, group: str, figures: YesNo | Correlation | Ceiling | Refusal) -> Iterator[FigureRow]:
    if isinstance(figures, Refusal):
        yield _refused(section, group, figures.refused)
    else:
        yield from (FigureRow(section, group, name, value) for name, value in asdict(figures).items())


def _some(section: str, group: str, figures: Record, names: Sequence[str]) -> Iterator[FigureRow]:
    return (FigureRow(section, group, name, getattr(figures, name)) for name in names)


def _refused(section: str, group: str, why: str) -> FigureRow:
    return FigureRow(section, group, "refused", None, why)

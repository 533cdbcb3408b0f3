"""External metrics, on the page of an analysis and in its report."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from analysis.plots.words import Scale
from analysis.sections.metrics import Metric
from analysis.sections.parts import Part, row_name, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table, titled
from analysis.stats.figures import Correlation
from core.text.numbers import decimals, whole


def part(results: Results) -> Part:
    """Return the section on external metrics."""
    metrics = results.metrics
    if isinstance(metrics, Refusal):
        return Part("metrics", _("External metrics"), refused=metrics.refused)
    if not metrics.tables:
        return Part("metrics", _("External metrics"), refused=_("None was imported."))
    scale = scale_of(results)
    systems = {row.name: row for table in metrics.tables for row in table.systems}
    means = [{row.name: row.mean for row in table.systems} for table in metrics.tables]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (row_name(row), *scaled([row.score], scale), *(mean.get(name) for mean in means))
        for name, row in systems.items()
    )
    notes = tuple(_("{name}: {note}").format(name=table.name, note=_in_sentences(table)) for table in metrics.tables)
    columns = (
        Column(_("System")),
        Column(scale.title, scale.digits + 1),
        *(Column(table.name, 3) for table in metrics.tables),
    )
    means_table = Table("metrics", _("Means by system"), columns, rows, notes)
    return Part("metrics", _("External metrics"), (), (means_table, _paired(metrics.tables, scale)))


def _paired(metrics: Sequence[Metric], scale: Scale) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (metric.name, row_name(row), row.mean, *scaled([row.score], scale), row.clips, row.ratings)
        for metric in metrics
        for row in metric.systems
    )
    columns = (
        *titled(_("Metric"), _("System")),
        Column(_("Mean of the metric"), 3),
        Column(scale.title, scale.digits + 1),
        *titled(_("Clips"), _("Ratings")),
    )
    return Table("metrics_clips", _("Metrics and scores over the same clips"), columns, rows)


def _in_sentences(metric: Metric) -> str:
    over_clips = _("Over {n} clips: Pearson r {pearson}, Spearman ρ {spearman}.")
    over_systems = _("Over {n} systems: Pearson r {pearson}, Spearman ρ {spearman}.")
    return _("{first} {rest}").format(
        first=_said(metric.clip, over_clips, _("Over clips: {why}")),
        rest=_said(metric.system, over_systems, _("Over systems: {why}")),
    )


def _said(correlation: Correlation | Refusal, words: str, refused: str) -> str:
    if isinstance(correlation, Refusal):
        return refused.format(why=correlation.refused)
    return words.format(
        n=whole(correlation.n), pearson=decimals(correlation.pearson), spearman=decimals(correlation.spearman)
    )

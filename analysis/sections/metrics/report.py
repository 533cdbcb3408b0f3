"""External metrics, in the report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.sections.metrics.result import Metric
from analysis.sections.parts import Part, row_name, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table
from analysis.stats.figures import Correlation


def part(results: Results) -> Part:
    """Return external metrics beside people's scores."""
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
    notes = tuple(_("{name}: {note}").format(name=table.name, note=_correlated(table)) for table in metrics.tables)
    columns = (
        Column(_("System")),
        Column(scale.title, scale.digits + 1),
        *(Column(table.name, 3) for table in metrics.tables),
    )
    return Part("metrics", _("External metrics"), (), (Table("metrics", _("Means by system"), columns, rows, notes),))


def _correlated(metric: Metric) -> str:
    """Return a sentence on the correlation over clips, and one on that over systems."""
    over_clips = _("Over {n} clips: Pearson r {pearson}, Spearman ρ {spearman}.")
    over_systems = _("Over {n} systems: Pearson r {pearson}, Spearman ρ {spearman}.")
    return _("{first} {rest}").format(
        first=_said(metric.clip, over_clips, _("Over clips: {why}")),
        rest=_said(metric.system, over_systems, _("Over systems: {why}")),
    )


def _said(correlation: Correlation | Refusal, words: str, refused: str) -> str:
    if isinstance(correlation, Refusal):
        return refused.format(why=correlation.refused)
    return words.format(n=correlation.n, pearson=f"{correlation.pearson:.3f}", spearman=f"{correlation.spearman:.3f}")

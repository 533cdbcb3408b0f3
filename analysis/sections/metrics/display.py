"""External metrics, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.sections.blocks import Block, TextTable, axis, fixed, name_of
from analysis.sections.metrics import Metric
from analysis.sections.parts import Part, row_name, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table
from analysis.stats.figures import Correlation
from core.text.numbers import whole


def block(results: Results) -> Block:
    """Return the block of external metrics and scores."""
    section, title = results.metrics, _("Machines’ metrics")
    if isinstance(section, Refusal):
        return Block("metrics", title, section.refused)
    of, tables = axis(results), []
    for table in section.tables:
        notes = []
        for correlation, words in ((table.clip, _("Over clips")), (table.system, _("Over systems"))):
            notes.append(_("{name}: {note}").format(name=words, note=_briefly(correlation)))
        rows = [[name_of(row), fixed(row.mean), of.show(row.score, 1), whole(row.clips)] for row in table.systems]
        head = [_("System"), table.name, _("Raters’ score"), _("Clips")]
        tables.append(TextTable(table.name, head, rows, " ".join(notes)))
    lines = [] if tables else [_("No metric was imported for this study.")]
    return Block("metrics", title, lines=lines, tables=tables)


def _briefly(correlation: Correlation | Refusal) -> str:
    if isinstance(correlation, Refusal):
        return correlation.refused
    r, rho = fixed(correlation.pearson), fixed(correlation.spearman)
    return f"Pearson r {r}, Spearman ρ {rho}, n {whole(correlation.n)}"


def part(results: Results) -> Part:
    """Return the report's section on external metrics."""
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
    return Part("metrics", _("External metrics"), (), (Table("metrics", _("Means by system"), columns, rows, notes),))


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
    return words.format(n=correlation.n, pearson=f"{correlation.pearson:.3f}", spearman=f"{correlation.spearman:.3f}")

"""External metrics, on the page of an analysis."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots.charts import whole
from analysis.sections.blocks import Block, TextTable, axis, fixed, name_of
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.stats.figures import Correlation


def block(results: Results) -> Block:
    """Return external metrics beside the scores."""
    section, title = results.metrics, _("Machines’ metrics")
    if isinstance(section, Refusal):
        return Block("metrics", title, section.refused)
    of, tables = axis(results), []
    for table in section.tables:
        notes = []
        for correlation, words in ((table.clip, _("Over clips")), (table.system, _("Over systems"))):
            notes.append(_("{name}: {note}").format(name=words, note=_correlated(correlation)))
        rows = [[name_of(row), fixed(row.mean), of.show(row.score, 1), whole(row.clips)] for row in table.systems]
        head = [_("System"), table.name, _("Raters’ score"), _("Clips")]
        tables.append(TextTable(table.name, head, rows, " ".join(notes)))
    lines = [] if tables else [_("No metric was imported for this study.")]
    return Block("metrics", title, lines=lines, tables=tables)


def _correlated(correlation: Correlation | Refusal) -> str:
    if isinstance(correlation, Refusal):
        return correlation.refused
    r, rho = fixed(correlation.pearson), fixed(correlation.spearman)
    return f"Pearson r {r}, Spearman ρ {rho}, n {whole(correlation.n)}"

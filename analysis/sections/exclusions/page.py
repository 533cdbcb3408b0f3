"""What doesn't count, on the page of an analysis."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots.charts import whole
from analysis.sections.blocks import Block, TextTable
from analysis.sections.results import Results
from analysis.sections.shared import Refusal


def block(results: Results) -> Block:
    """Return what each rule takes out."""
    section, title = results.exclusions, _("Exclusions")
    if isinstance(section, Refusal):
        return Block("exclusions", title, section.refused)
    lines = [
        _("{counted} of {given} ratings of test clips count, of {raters} of {all} raters.").format(
            counted=whole(section.counted),
            given=whole(section.given),
            raters=whole(section.raters_counted),
            all=whole(section.raters_given),
        )
    ]
    if section.pending:
        lines.append(_("Experts have not decided {n} reasons yet; those count.").format(n=whole(section.pending)))
    rows = [[row.label, whole(row.ratings), whole(row.raters), whole(row.alone)] for row in section.reasons]
    head = [_("Rule"), _("Ratings"), _("Raters"), _("By this rule alone")]
    return Block("exclusions", title, lines=lines, tables=[TextTable(_("By reason"), head, rows)] if rows else [])

"""Agreement, on the page of an analysis."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.sections.blocks import Block, TextTable, distance, fixed, metric_name, name_of, span
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from core.text.numbers import whole


def block(results: Results) -> Block:
    """Return the block of alpha, kappas and the order in two halves."""
    section, title = results.agreement, _("Agreement of raters")
    if isinstance(section, Refusal):
        return Block("agreement", title, section.refused)
    rows = [
        [
            name_of(row),
            metric_name(row.metric),
            fixed(row.alpha),
            span(row.low, row.high),
            whole(row.units),
            whole(row.ratings),
        ]
        for row in section.alpha
    ]
    head = [_("System"), _("Metric"), _("Krippendorff’s α"), _("95 % interval"), _("Clips"), _("Ratings")]
    # None if clips differ in their numbers of ratings; a note says so.
    fleiss = [_("Fleiss’ κ: {value}.").format(value=fixed(section.fleiss))] if section.fleiss is not None else []
    lines = [
        *fleiss,
        ngettext(
            "Cohen’s κ of {n} pair of raters: {value}.",
            "Cohen’s κ, mean of {n} pairs of raters: {value}.",
            section.cohen_pairs,
        ).format(n=whole(section.cohen_pairs), value=fixed(section.cohen)),
    ]
    if section.halves is not None:
        lines.append(
            _("Order of the systems in two halves of the raters: {distance}").format(distance=distance(section.halves))
        )
    lines += section.notes
    return Block("agreement", title, lines=lines, tables=[TextTable(_("Over clips; traps are left out"), head, rows)])

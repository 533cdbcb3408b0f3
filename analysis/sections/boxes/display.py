"""White box minus black box, on the page of an analysis."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.sections.blocks import Block, TextTable, axis, change, changes, distance
from analysis.sections.results import Results
from analysis.sections.shared import Refusal


def block(results: Results) -> Block:
    """Return the block of white box minus black box."""
    section, title = results.boxes, _("White box and black box")
    if isinstance(section, Refusal):
        return Block("boxes", title, section.refused)
    of = axis(results)
    rows = [
        [
            row.name or _("all"),
            of.show(row.white, 1),
            of.show(row.black, 1),
            change(of, row.gap),
            changes(of, row.low, row.high),
        ]
        for row in [*section.systems, section.overall]
    ]
    head = [_("System"), _("White"), _("Black"), _("Gap"), _("95 % interval")]
    lines = (
        []
        if section.ranks is None
        else [_("Order of the systems: {distance}").format(distance=distance(section.ranks))]
    )
    return Block("boxes", title, lines=lines, tables=[TextTable(_("White less black"), head, rows)])

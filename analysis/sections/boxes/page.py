"""White box less black box, on the page of an analysis."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.sections.blocks import Block, Results, Table, axis, change, changes, distance, refusal


def block(results: Results) -> Block:
    """Return white less black."""
    section, title = results["boxes"], _("White box and black box")
    if reason := refusal(section):
        return Block("boxes", title, reason)
    of = axis(results)
    rows = [
        [
            row["name"] or _("all"),
            of.show(row["white"], 1),
            of.show(row["black"], 1),
            change(of, row["gap"]),
            changes(of, row),
        ]
        for row in [*section["systems"], section["overall"]]
    ]
    head = [_("System"), _("White"), _("Black"), _("Gap"), _("95 % interval")]
    lines = [] if section["ranks"] is None else [_("Order of the systems: ") + distance(section["ranks"])]
    return Block("boxes", title, lines=lines, tables=[Table(_("White less black"), head, rows)])

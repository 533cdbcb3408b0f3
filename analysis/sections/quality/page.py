"""Checks and drift, on the page of an analysis."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots.charts import tenths, whole
from analysis.sections.blocks import Block, TextTable, axis, fixed, share, span
from analysis.sections.results import Results
from analysis.sections.shared import Refusal


def block(results: Results) -> Block:
    """Return checks passed, and drift over the session."""
    section, title = results.quality, _("Checks and drift")
    if isinstance(section, Refusal):
        return Block("quality", title, section.refused)
    of, tables = axis(results), []
    if section.traps:
        rows = [[row.label, share(row.share), f"{whole(row.right)} / {whole(row.asked)}"] for row in section.traps]
        tables.append(
            TextTable(_("Checks, over every full batch"), [_("Check"), _("Passed"), _("Right of asked")], rows)
        )
    if section.drift:
        rows = [
            [
                str(row.first) if row.first == row.last else f"{row.first}–{row.last}",
                of.show(row.score, 1),
                "–" if row.response is None else tenths(row.response),
                whole(row.ratings),
            ]
            for row in section.drift
        ]
        head = [_("Trials of the session"), _("Mean score"), _("Median seconds"), _("Ratings")]
        tables.append(TextTable(_("Over the session"), head, rows))
    lines = []
    if section.guesser is not None:
        lines.append(
            _("{n} of {all} batches passed; a pure guesser passes {rate}.").format(
                n=whole(section.batches_valid), all=whole(section.batches_decided), rate=share(section.guesser)
            )
        )
    if slope := section.slope:
        lines.append(
            _("Change of score by one place of the session, systems held equal: {slope} ({interval}).").format(
                slope=fixed(slope.mean, 4), interval=span(slope.low, slope.high, 4)
            )
        )
    return Block("quality", title, lines=[*lines, *section.notes], tables=tables)

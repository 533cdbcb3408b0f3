"""Seconds a clip, on the page of an analysis."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots.charts import tenths, whole
from analysis.sections.blocks import Block, Results, Table, name_of, refusal


def block(results: Results) -> Block:
    """Return seconds a clip."""
    section, title = results["times"], _("Time per clip")
    if reason := refusal(section):
        return Block("times", title, reason)
    names = ("response_median", "response_mean", "decision_median", "decision_mean")
    rows = [
        [name_of(row), whole(row["clips"]), *("–" if row[name] is None else tenths(row[name]) for name in names)]
        for row in section["rows"]
    ]
    head = [
        _("System"),
        _("Clips rated"),
        _("Response, median"),
        _("Response, mean"),
        _("Decision, median"),
        _("Decision, mean"),
    ]
    return Block("times", title, tables=[Table(_("Seconds"), head, rows)])

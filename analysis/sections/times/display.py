"""Seconds per clip, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.sections.blocks import Block, TextTable, name_of
from analysis.sections.parts import Part, row_name
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table
from core.text.numbers import tenths, whole


def block(results: Results) -> Block:
    """Return the block of seconds per clip."""
    section, title = results.times, _("Time per clip")
    if isinstance(section, Refusal):
        return Block("times", title, section.refused)
    rows = [
        [
            name_of(row),
            whole(row.clips),
            *map(_seconds, (row.response_median, row.response_mean, row.decision_median, row.decision_mean)),
        ]
        for row in section.rows
    ]
    head = [
        _("System"),
        _("Clips rated"),
        _("Response, median"),
        _("Response, mean"),
        _("Decision, median"),
        _("Decision, mean"),
    ]
    return Block("times", title, tables=[TextTable(_("Seconds"), head, rows)])


def _seconds(value: float | None) -> str:
    return "–" if value is None else tenths(value)


def part(results: Results) -> Part:
    """Return the report's section on seconds per clip."""
    times = results.times
    if isinstance(times, Refusal):
        return Part("times", _("Times"), refused=times.refused)
    rows = tuple(
        (row_name(row), row.clips, row.response_median, row.response_mean, row.decision_median, row.decision_mean)
        for row in times.rows
    )
    heads = (_("Response, median"), _("Response, mean"), _("Decision, median"), _("Decision, mean"))
    columns = (Column(_("System")), Column(_("Clips heard")), *(Column(head, 1) for head in heads))
    notes = (
        _(
            "Response: from the clip shown to the answer. Decision: from the end of the first full play. A screen is "
            "divided by its clips."
        ),
    )
    return Part("times", _("Times"), (), (Table("times", _("Seconds per clip"), columns, rows, notes),), ("times",))

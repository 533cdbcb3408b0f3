"""Seconds per clip, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.sections.parts import Part, row_name
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Table, titled


def part(results: Results) -> Part:
    """Return the section on seconds per clip."""
    times = results.times
    if isinstance(times, Refusal):
        return Part("times", _("Times"), refused=times.refused)
    rows = tuple(
        (row_name(row), row.clips, row.response_median, row.response_mean, row.decision_median, row.decision_mean)
        for row in times.rows
    )
    heads = (_("Response, median"), _("Response, mean"), _("Decision, median"), _("Decision, mean"))
    columns = (*titled(_("System"), _("Clips heard")), *titled(*heads, digits=1))
    notes = (
        _(
            "Response: from the clip shown to the answer. Decision: from the end of the first full play. A screen is "
            "divided by its clips."
        ),
    )
    return Part("times", _("Times"), (), (Table("times", _("Seconds per clip"), columns, rows, notes),), ("times",))

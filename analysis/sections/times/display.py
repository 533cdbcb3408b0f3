"""Seconds per clip, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.sections.parts import Part, row_name
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Table, titled
from analysis.sections.times import Times
from core.text.numbers import tenths


def lead(results: Results) -> list[str]:
    """Return the summary above the section."""
    return summary(results.times)


def summary(times: Times | Refusal) -> list[str]:
    """Return a sentence on the median time over all clips, if it is known."""
    words = _("The median time per clip is {seconds} seconds, from the trial’s start to the answer.")
    rows = () if isinstance(times, Refusal) else times.rows
    return [
        words.format(seconds=tenths(row.response_median))
        for row in rows
        if not row.name and row.response_median is not None
    ]


def part(results: Results) -> Part:
    """Return the section on seconds per clip."""
    return part_of(results.times)


def part_of(times: Times | Refusal) -> Part:
    """Return the same section for times outside an analysis, such as those of the Results page."""
    title = _("Time per clip")
    if isinstance(times, Refusal):
        return Part("times", title, refused=times.refused)
    rows = tuple(
        (row_name(row), row.clips, row.response_median, row.response_mean, row.decision_median, row.decision_mean)
        for row in times.rows
    )
    heads = (_("Response, median"), _("Response, mean"), _("Decision, median"), _("Decision, mean"))
    columns = (*titled(_("System"), _("Clips heard")), *titled(*heads, digits=1))
    notes = (
        _(
            "Response: from showing the clip to the answer. Decision: from the end of the first full play to the "
            "answer. The time of a screen is divided by its number of clips."
        ),
    )
    return Part("times", title, (), (Table("times", _("Seconds per clip"), columns, rows, notes),), ("times",))

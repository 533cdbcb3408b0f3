"""Codes that raters gave, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from analysis.sections.breakdowns import Breakdown, GroupCounts
from analysis.sections.parts import Part, group_name
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table, titled
from core.text.numbers import whole


def part(results: Results) -> Part:
    """Return the section on codes: their shares by system and by domain."""
    breakdowns, title = results.breakdowns, pgettext("section", "Answers")
    if isinstance(breakdowns, Refusal):
        return Part("answers", title, refused=breakdowns.refused)
    tables, plots = [], []
    for breakdown in breakdowns.tables:
        groupings = [by for by in ("system", "domain") if _groups(breakdown, by)]
        groupings = groupings or ["overall"] * bool(_groups(breakdown, "overall"))
        tables += [_table(breakdown, by, is_first=by == groupings[0]) for by in groupings]
        plots += [f"shares-{breakdown.part}"] if groupings else []
    refused = "" if tables else _("This task has no codes to count.")
    return Part("answers", title, (), tuple(tables), tuple(plots), refused=refused)


def _groups(breakdown: Breakdown, by: str) -> list[GroupCounts]:
    return [group for group in breakdown.groups.get(by, ()) if group.of]


def _table(breakdown: Breakdown, by: str, *, is_first: bool) -> Table:
    groups = _groups(breakdown, by)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (line.label, *(100 * group.counts[at] / group.of for group in groups))
        for at, line in enumerate(breakdown.lines)
    )
    titles = {
        (True, True): _("{what} in percent of all questions answered"),
        (True, False): _("{what} by domain, in percent of all questions answered"),
        (False, True): _("{what} in percent of all usable answers"),
        (False, False): _("{what} by domain, in percent of all usable answers"),
    }
    title = titles[bool(breakdown.per), is_first].format(what=breakdown.title)
    heads = (_("{group} (n {n})").format(group=group_name(group, by), n=whole(group.of)) for group in groups)
    name = f"shares_{breakdown.part}" if is_first else f"shares_{breakdown.part}_{by}"
    return Table(name, title, (Column(breakdown.title), *titled(*heads, digits=1)), rows)

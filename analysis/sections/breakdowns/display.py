"""Codes that raters gave, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from analysis.sections.blocks import BY, Block, TextTable, name_of, share
from analysis.sections.parts import Part, row_name
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table
from core.text.numbers import whole


def block(results: Results) -> Block:
    """Return the block of shares of each code."""
    section, title = results.breakdowns, _("What was named")
    if isinstance(section, Refusal):
        return Block("breakdowns", title, section.refused)
    tables = []
    for table in section.tables:
        for by in ("system", "domain"):
            groups = table.groups.get(by)
            if not groups:
                continue
            rows = [
                [line.label, *(share(group.counts[at] / group.of) if group.of else "–" for group in groups)]
                for at, line in enumerate(table.lines)
            ]
            head = [
                _("Named"),
                *(_("{group} (n {n})").format(group=name_of(group), n=whole(group.of)) for group in groups),
            ]
            note = _("Of all usable answers of a group.") if not table.per else _("Of all rows that could be so.")
            by_what = _("{title}, by {by}").format(title=table.title, by=str(BY[by]).lower())
            tables.append(TextTable(by_what, head, rows, note))
    return Block("breakdowns", title, tables=tables)


def part(results: Results) -> Part:
    """Return the report's section on codes."""
    breakdowns = results.breakdowns
    if isinstance(breakdowns, Refusal):
        return Part("answers", pgettext("section", "Answers"), refused=breakdowns.refused)
    tables, plots = [], []
    for table in breakdowns.tables:
        by = next((key for key in ("system", "domain", "overall") if table.groups.get(key)), "")
        groups = [group for group in table.groups.get(by, ()) if group.of]
        if not groups:
            continue
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (line.label, *(100 * group.counts[at] / group.of for group in groups))
            for at, line in enumerate(table.lines)
        )
        title = (
            _("{what} in percent of all questions answered")
            if table.per
            else _("{what} in percent of all usable answers")
        )
        columns = (
            Column(table.title),
            *(Column(_("{group} (n {n})").format(group=row_name(group), n=whole(group.of)), 1) for group in groups),
        )
        tables.append(Table(f"shares_{table.part}", title.format(what=table.title), columns, rows))
        plots.append(f"shares-{table.part}")
    refused = "" if tables else _("This task has no codes to count.")
    return Part("answers", pgettext("section", "Answers"), (), tuple(tables), tuple(plots), refused=refused)

"""What was named, on the page of an analysis."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots.charts import whole
from analysis.sections.blocks import BY, Block, TextTable, name_of, share
from analysis.sections.results import Results
from analysis.sections.shared import Refusal


def block(results: Results) -> Block:
    """Return what was named, as shares."""
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

"""Systems against human speech, on the page of an analysis."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots.charts import whole
from analysis.sections.blocks import Block, TextTable, axis, change, changes, fixed
from analysis.sections.results import Results
from analysis.sections.shared import Refusal


def block(results: Results) -> Block:
    """Return the human baseline, and each system's difference with its verdict."""
    section = results.baseline
    title = _("Against human speech")
    if isinstance(section, Refusal):
        return Block("baseline", title, section.refused)
    of, human = axis(results), section.human
    source = _("human test clips") if section.source == "test" else _("human traps")
    lines = [
        _("Human baseline, from {source}: {mean} ({interval}), {n} ratings.").format(
            source=source,
            mean=of.show(human.mean, 1),
            interval=of.interval(human.low, human.high, 1),
            n=whole(human.ratings),
        )
    ]
    if section.margin is not None:
        lines.append(_("Margin fixed before the launch: {margin}.").format(margin=fixed(section.margin)))
    if section.note:
        lines.append(section.note)
    verdicts = {
        "non_inferior": _("not inferior"),
        "inferior": _("inferior"),
        "undecided": _("undecided"),
        "": "–",
    }
    rows = [
        [row.name, change(of, row.difference), changes(of, row.low, row.high), verdicts[row.verdict]]
        for row in section.systems
    ]
    columns = [_("System"), _("Less human speech"), _("95 % interval"), _("At the margin")]
    tables = [TextTable(_("Systems less human speech"), columns, rows)] if rows else []
    return Block("baseline", title, lines=lines, tables=tables)

"""External metrics, on the page of an analysis."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots.charts import whole
from analysis.sections.blocks import Block, Results, Table, axis, fixed, name_of, refusal


def block(results: Results) -> Block:
    """Return external metrics beside the scores."""
    section, title = results["metrics"], _("Machines’ metrics")
    if reason := refusal(section):
        return Block("metrics", title, reason)
    of, tables = axis(results), []
    for table in section["tables"]:
        notes = []
        for unit, words in (("clip", _("Over clips")), ("system", _("Over systems"))):
            found = table[unit]
            text = refusal(found) or "Pearson r {r}, Spearman ρ {rho}, n {n}".format(
                r=fixed(found["pearson"]), rho=fixed(found["spearman"]), n=whole(found["n"])
            )
            notes.append(f"{words}: {text}")
        rows = [
            [name_of(row), fixed(row["mean"]), of.show(row["score"], 1), whole(row["clips"])]
            for row in table["systems"]
        ]
        head = [_("System"), table["name"], _("Raters’ score"), _("Clips")]
        tables.append(Table(table["name"], head, rows, " ".join(notes)))
    lines = [] if tables else [_("No metric was imported for this study.")]
    return Block("metrics", title, lines=lines, tables=tables)

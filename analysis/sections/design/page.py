"""What was compared, on the page of an analysis."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from analysis.plots.charts import whole
from analysis.sections.blocks import Block, TextTable, name_of
from analysis.sections.prose import listed
from analysis.sections.results import Results
from analysis.sections.shared import Refusal


def block(results: Results) -> Block:
    """Return what was compared, and what the figures speak of."""
    section, title = results.design, _("Design")
    if isinstance(section, Refusal):
        return Block("design", title, section.refused)
    rows = [
        [
            name_of(thing),
            whole(thing.clips),
            whole(thing.texts),
            listed(thing.voices) or "–",
            whole(thing.raters),
            whole(thing.ratings),
        ]
        for thing in section.systems
    ]
    head = [_("System"), _("Clips"), _("Texts"), pgettext("names", "Voices"), _("Raters"), _("Ratings")]
    return Block("design", title, lines=section.scope, tables=[TextTable(_("What was heard"), head, rows)])

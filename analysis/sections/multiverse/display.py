"""Other choices of exclusion rules, on the page of an analysis."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.data.groups import HUMAN
from analysis.sections.blocks import Block, TextTable, axis
from analysis.sections.exclusions import rule_name
from analysis.sections.parts import listed
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from core.text.numbers import whole


def block(results: Results) -> Block:
    """Return the block of scores under all sets of exclusion rules."""
    section, title = results.multiverse, _("If other answers were left out")
    if isinstance(section, Refusal):
        return Block("multiverse", title, section.refused)
    of = axis(results)
    rows = [
        [
            listed([rule_name(rule) for rule in each.rules]) or _("no rule"),
            whole(sum(each.ratings)),
            *(
                _("{group} (n {n})").format(group=of.show(score, 1), n=whole(n))
                for score, n in zip(each.scores, each.ratings, strict=True)
            ),
        ]
        for each in section.universes
    ]
    line = _("The systems come in the same order as with all rules in {n} of {all} choices of rules.")
    lines = [
        line.format(n=section.same_order, all=len(section.universes)),
        _("Scores only: no interval is valid across choices."),
    ]
    head = [_("Rules applied"), _("Ratings"), *(_("human") if name == HUMAN else name for name in section.systems)]
    return Block("multiverse", title, lines=lines, tables=[TextTable(_("All choices"), head, rows)])

"""Tiers and all pairs, on the page of an analysis."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots.charts import Axis
from analysis.sections.blocks import Block, TextTable, axis, change, changes, name_of, probability, share
from analysis.sections.contrasts.result import Contrasts
from analysis.sections.prose import listed
from analysis.sections.results import Results
from analysis.sections.shared import Refusal


def block(results: Results) -> Block:
    """Return tiers with rank probabilities, and all pairs."""
    return shown(axis(results), results.contrasts)


def shown(of: Axis, section: Contrasts | Refusal) -> Block:
    """Return the same of contrasts that no analysis holds, such as those of a study's page."""
    title = _("Comparisons of systems")
    if isinstance(section, Refusal):
        return Block("contrasts", title, section.refused)
    places = range(1, len(section.tiers) + 1)
    tiers = TextTable(
        _("Tiers: systems that share a letter don’t differ"),
        [_("System"), _("Score"), _("Tier"), *(_("P(rank {n})").format(n=place) for place in places)],
        [
            [name_of(tier), of.show(tier.mean, 1), tier.letters, *(share(each) for each in tier.ranks)]
            for tier in section.tiers
        ],
        _("Ranks are from joint Normal draws of the means, with the variance by raters and clips."),
    )
    names = {tier.name: name_of(tier) for tier in section.tiers}
    pairs = TextTable(
        _("All pairs"),
        [
            _("Pair"),
            _("Difference"),
            _("95 % interval"),
            _("Interval for all pairs at once"),
            _("p, adjusted for all pairs"),
        ],
        [
            [
                f"{names.get(pair.first, pair.first)} − {names.get(pair.second, pair.second)}",
                change(of, pair.difference),
                changes(of, pair.low, pair.high),
                changes(of, pair.low_all, pair.high_all),
                probability(pair.p),
            ]
            for pair in section.pairs
        ],
    )
    left = listed(section.left_out)
    lines = [_("Left out, for too few raters or clips: {systems}.").format(systems=left)] if left else []
    # Analyses of earlier releases don't say.
    lines += [section.scope] if section.scope else []
    return Block("contrasts", title, lines=lines, tables=[tiers, pairs])

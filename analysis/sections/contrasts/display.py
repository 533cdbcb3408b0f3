"""Tiers and all pairs, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots.charts import Axis
from analysis.sections import leads
from analysis.sections.blocks import Block, TextTable, axis, change, changes, name_of, probability, share
from analysis.sections.contrasts import Contrasts
from analysis.sections.parts import Part, listed, row_name, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table

SMALLEST = 0.001


def block(results: Results) -> Block:
    """Return the block of tiers with rank probabilities, and all pairs."""
    return shown(axis(results), results.contrasts)


def shown(of: Axis, section: Contrasts | Refusal) -> Block:
    """Return the same block for contrasts outside an analysis, such as those of the Results page."""
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
    lines = _notes(section)
    return Block("contrasts", title, lines=lines, tables=[tiers, pairs], lead=leads.comparisons(of, section))


def _notes(section: Contrasts) -> list[str]:
    """Return notes on the systems left out, and on the scope of the intervals."""
    notes = list(section.notes)
    if section.left_out and not notes:
        # Analyses of earlier releases don't say why systems are left out.
        systems = listed(section.left_out)
        notes = [_("Left out, for too few raters or clips: {systems}.").format(systems=systems)]
    return [*notes, *([section.scope] if section.scope else [])]


def part(results: Results) -> Part:
    """Return the report's section on pairs, tiers and ranks."""
    contrasts = results.contrasts
    if isinstance(contrasts, Refusal):
        return Part("contrasts", _("Contrasts, tiers and ranks"), refused=contrasts.refused)
    scale = scale_of(results)
    digits = scale.digits + 1
    names = {tier.name: row_name(tier) for tier in contrasts.tiers}
    pairs = tuple(
        (
            names.get(pair.first, pair.first),
            names.get(pair.second, pair.second),
            *scaled([pair.difference, pair.low, pair.high, pair.low_all, pair.high_all], scale),
            pair.p if pair.p >= SMALLEST else f"<{SMALLEST}",
        )
        for pair in contrasts.pairs
    )
    heads = (_("Difference"), _("Low"), _("High"), _("Low, all pairs"), _("High, all pairs"))
    columns = (
        Column(_("First")),
        Column(_("Second")),
        *(Column(head, digits) for head in heads),
        Column(_("p, adjusted"), 3),
    )
    tiers = tuple(
        (row_name(tier), *scaled([tier.mean], scale), tier.letters, *(float(share) for share in tier.ranks))
        for tier in contrasts.tiers
    )
    most = max((len(tier.ranks) for tier in contrasts.tiers), default=0)
    tiers = tuple(row for row in tiers if len(row) == 3 + most)
    ranks = (Column(_("P(rank {n})").format(n=place), 2) for place in range(1, most + 1))
    letters = Table(
        "tiers", _("Tiers and ranks"), (Column(_("System")), Column(scale.title, digits), Column(_("Tier")), *ranks),
        tiers,
        (_("Two systems share a letter exactly when they don’t differ; tiers may overlap."),),
    )  # fmt: skip
    sentences = _notes(contrasts)
    all_pairs = Table(
        "contrasts", _("Differences in {score}").format(score=scale.name), columns, pairs,
        (_("Low and high, all pairs: intervals that hold for all pairs together."),),
    )  # fmt: skip
    plots = ("contrasts", "ranks")
    return Part("contrasts", _("Contrasts, tiers and ranks"), tuple(sentences), (letters, all_pairs), plots)

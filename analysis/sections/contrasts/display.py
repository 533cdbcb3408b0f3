"""Tiers and all pairs, on the page of an analysis, in its report and on the Results page."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots.words import Scale
from analysis.sections import leads
from analysis.sections.contrasts import Contrasts
from analysis.sections.parts import Part, in_points, interval_note, listed, p_value, row_name, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table, titled


def part(results: Results) -> Part:
    """Return the section on pairs, tiers and ranks."""
    return part_of(scale_of(results), results.contrasts)


def part_of(scale: Scale, section: Contrasts | Refusal) -> Part:
    """Return the same section for contrasts outside an analysis, such as those of the Results page."""
    title = _("Comparisons of systems")
    if isinstance(section, Refusal):
        return Part("contrasts", title, refused=section.refused)
    tables = (_tiers(scale, section), _pairs(scale, section))
    return Part("contrasts", title, tuple(_notes(section)), tables, ("contrasts", "ranks"))


def lead(results: Results) -> list[str]:
    """Return the summary above the section."""
    return summary(results.contrasts, results.study.scale.sign)


def summary(section: Contrasts | Refusal, sign: int) -> list[str]:
    """Return sentences on the number of pairs that differ; none if there is no comparison."""
    return [] if isinstance(section, Refusal) else leads.comparisons(section, sign)


def _notes(section: Contrasts) -> list[str]:
    """Return notes on the systems left out, and on the scope of the intervals."""
    notes = list(section.notes)
    if section.left_out and not notes:
        # Analyses of earlier releases don't say why systems are left out.
        systems = listed(section.left_out)
        notes = [_("Left out, for too few raters or clips: {systems}.").format(systems=systems)]
    return [*notes, *([section.scope] if section.scope else [])]


def _tiers(scale: Scale, section: Contrasts) -> Table:
    most = max((len(tier.ranks) for tier in section.tiers), default=0)
    has_letters = any(tier.letters for tier in section.tiers)
    rows = tuple(
        (
            row_name(tier),
            *scaled([tier.mean], scale),
            *([tier.letters] if has_letters else []),
            *map(float, tier.ranks),
        )
        for tier in section.tiers
        if len(tier.ranks) == most
    )
    ranks = titled(*(_("P(rank {n})").format(n=place) for place in range(1, most + 1)), digits=3)
    tier = [Column(_("Tier"))] if has_letters else []
    columns = (Column(_("System")), Column(scale.title, scale.digits + 1), *tier, *ranks)
    notes = (
        _("Two systems share a letter exactly when they don’t differ; tiers may overlap.")
        if has_letters
        else _("The systems form more tiers than there are letters. The table of pairs says which differ."),
        _("Ranks are from joint Normal draws of the means, with the variances of their intervals."),
    )
    title = _("Tiers: systems that share a letter don’t differ") if has_letters else _("Ranks")
    return Table("tiers", title, columns, rows, notes)


def _pairs(scale: Scale, section: Contrasts) -> Table:
    names = {tier.name: row_name(tier) for tier in section.tiers}
    rows = tuple(
        (
            names.get(pair.first, pair.first),
            names.get(pair.second, pair.second),
            *scaled([pair.difference, pair.low, pair.high, pair.low_all, pair.high_all], scale),
            p_value(pair.p),
        )
        for pair in section.pairs
    )
    heads = (_("Difference"), _("Low"), _("High"), _("Low, all pairs"), _("High, all pairs"))
    columns = (
        *titled(_("First"), _("Second")),
        *titled(*heads, digits=scale.digits + 1),
        Column(_("p, adjusted"), 3),
    )
    notes = (
        interval_note(),
        _("Low and high, all pairs: intervals that hold for all pairs together."),
        *in_points(scale),
    )
    return Table("contrasts", _("Differences in {score}").format(score=scale.name), columns, rows, notes)

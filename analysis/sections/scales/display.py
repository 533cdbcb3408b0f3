"""Scales of a task with several, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots.words import Scale
from analysis.sections.parts import Part, interval_note, listed, row_name, scaled
from analysis.sections.results import Results
from analysis.sections.scales import ChoiceShares, ScaleMeans, Scales, plot
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table, titled
from core.text.numbers import whole


def part(results: Results) -> Part:
    """Return the section on a task with several scales."""
    section, title = results.scales, _("Scales")
    if isinstance(section, Refusal):
        return Part("scales", title, refused=section.refused)
    tables = (
        *map(_mean_table, section.means),
        *map(_share_table, section.shares),
        *((_pair_table(section),) if section.pairs else ()),
    )
    return Part("scales", title, tuple(_lines(section)), tables, tuple(map(plot.name, section.means)))


def _lines(section: Scales) -> list[str]:
    lines = [_("Each scale is a result of its own. Their means are never added.")]
    for group in section.alike:
        text = _("All scales alike: {alike} of {answers} ({scales}).")
        names = listed(group.scales)
        lines.append(text.format(alike=whole(group.alike), answers=whole(group.answers), scales=names))
    return lines


def _mean_table(of: ScaleMeans) -> Table:
    scale = Scale(of.name, of.low, of.high, of.unit)
    digits = scale.digits + 1
    is_pooled = any(each.pooled is not None for each in of.systems)
    heads = (
        Column(_("System")),
        *(Column(title, digits) for title in (scale.title, _("Low"), _("High"), _("SD"))),
        *(Column(title) for title in (_("Ratings"), _("Raters"), _("Clips"))),
        *([Column(_("Pooled"), digits)] if is_pooled else []),
    )
    rows = tuple(
        (row_name(each), *scaled([each.mean, each.low, each.high, each.sd], scale), each.ratings, each.raters,
         each.clips, *(scaled([each.pooled], scale) if is_pooled else ()))
        for each in of.systems
    )  # fmt: skip
    notes = [interval_note(), *map(_, of.notes), *sorted({each.note for each in of.systems} - {""})]
    if is_pooled:
        notes.append(_("The score is the mean of answers. Pooled: all errors divided by the length of all texts."))
    return Table(f"scale_{of.part}", _("{score} by system").format(score=of.name), heads, rows, tuple(notes))


def _share_table(of: ChoiceShares) -> Table:
    columns = (
        *titled(_("Choice"), _("System")),
        *titled(_("Share (%)"), _("Low"), _("High"), digits=1),
        *titled(_("Answers"), _("Raters"), _("Clips")),
    )
    share = Scale(of.name, 0.0, 1.0, "%")
    rows = tuple(
        (_(choice.name), row_name(each), *scaled([each.mean, each.low, each.high], share), each.ratings, each.raters,
         each.clips)
        for choice in of.choices
        for each in choice.systems
    )  # fmt: skip
    notes = {each.note for choice in of.choices for each in choice.systems} - {""}
    title = _("{what}: share of each choice by system").format(what=of.name)
    return Table(f"choices_{of.part}", title, columns, rows, (interval_note(), *sorted(notes)))


def _pair_table(section: Scales) -> Table:
    heads = (Column(_("First")), Column(_("Second")), Column(_("Correlation"), 2), Column(_("Answers")))
    rows = tuple((pair.first, pair.second, pair.correlation, pair.answers) for pair in section.pairs)
    note = _("Pearson’s correlation of ratings from which each rater’s mean was subtracted, over all raters.")
    return Table("scale_correlations", _("Correlation within raters"), heads, rows, (note,))

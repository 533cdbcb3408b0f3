"""Scales of a task with several, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots.charts import Axis
from analysis.plots.words import Scale
from analysis.sections.blocks import Block, TextTable, fixed, name_of
from analysis.sections.parts import Part, listed, row_name, scaled
from analysis.sections.results import Results
from analysis.sections.scales import ScaleMeans, Scales
from analysis.sections.shared import NOT_COMPUTED, Refusal
from analysis.sections.tables import Column, Table
from core.text.numbers import whole


def blocks(results: Results) -> list[Block]:
    """Return the block of a task with several scales."""
    section, title = results.scales, _("Scales")
    if isinstance(section, Refusal):
        # Other tasks, and analyses of earlier releases, lack it.
        return [] if section == NOT_COMPUTED else [Block("scales", title, section.refused)]
    if not section.means:
        return []
    tables = [*map(_means, section.means), *([_pairs(section)] if section.pairs else [])]
    return [Block("scales", title, lines=_lines(section), tables=tables)]


def parts(results: Results) -> list[Part]:
    """Return the section of a report on a task with several scales."""
    section, title = results.scales, _("Scales")
    if isinstance(section, Refusal):
        return [] if section == NOT_COMPUTED else [Part("scales", title, refused=section.refused)]
    if not section.means:
        return []
    tables = (*map(_mean_table, section.means), *((_pair_table(section),) if section.pairs else ()))
    return [Part("scales", title, tuple(_lines(section)), tables)]


def _lines(section: Scales) -> list[str]:
    lines = [_("Each scale is a result of its own. Their means are never added.")]
    for group in section.alike:
        text = _("All scales alike: {alike} of {answers} ({scales}).")
        names = listed(group.scales)
        lines.append(text.format(alike=whole(group.alike), answers=whole(group.answers), scales=names))
    return lines


def _means(of: ScaleMeans) -> TextTable:
    axis = Axis(of.low, of.high, of.unit)
    rows = [
        [
            name_of(each), axis.show(each.mean, 1), axis.interval(each.low, each.high, 1), whole(each.ratings),
            whole(each.raters), whole(each.clips),
        ]
        for each in of.systems
    ]  # fmt: skip
    columns = [_("System"), _("Mean"), _("95 % interval"), _("Ratings"), _("Raters"), _("Clips")]
    return TextTable(of.name, columns, rows, " ".join(sorted({each.note for each in of.systems if each.note})))


def _pairs(section: Scales) -> TextTable:
    rows = [
        [_("{first} – {second}").format(first=pair.first, second=pair.second), fixed(pair.correlation, 2),
         whole(pair.answers)]
        for pair in section.pairs
    ]  # fmt: skip
    note = _("Pearson’s correlation of ratings from which each rater’s mean was subtracted, over all raters.")
    return TextTable(_("Correlation within raters"), [_("Scales"), _("Correlation"), _("Answers")], rows, note)


def _mean_table(of: ScaleMeans) -> Table:
    scale = Scale(of.name, of.low, of.high, of.unit)
    digits = scale.digits + 1
    heads = (
        Column(_("System")),
        *(Column(title, digits) for title in (scale.title, _("Low"), _("High"), _("SD"))),
        *(Column(title) for title in (_("Ratings"), _("Raters"), _("Clips"))),
    )
    rows = tuple(
        (row_name(each), *scaled([each.mean, each.low, each.high, each.sd], scale), each.ratings, each.raters,
         each.clips)
        for each in of.systems
    )  # fmt: skip
    return Table(f"scale_{of.part}", _("{score} by system").format(score=of.name), heads, rows)


def _pair_table(section: Scales) -> Table:
    heads = (Column(_("First")), Column(_("Second")), Column(_("Correlation"), 2), Column(_("Answers")))
    rows = tuple((pair.first, pair.second, pair.correlation, pair.answers) for pair in section.pairs)
    return Table("scale_correlations", _("Correlation within raters"), heads, rows)

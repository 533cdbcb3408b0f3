"""Repeated trials, on the page of an analysis and in its report."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analysis.plots.words import Scale
from analysis.sections.parts import Part, scaled
from analysis.sections.repeats import RepeatedScale, Repeats
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Table, titled
from core.text.numbers import decimals, tenths, whole


def part(results: Results) -> Part:
    """Return the section on repeated trials."""
    section, title = results.repeats, _("Repeated trials")
    if isinstance(section, Refusal):
        return Part("repeats", title, refused=section.refused)
    sentence = _(
        "Raters got some trials a second time, at least {distance} trials after the first, without being told. Second "
        "ratings are only compared with the first ones; they count in no other figure."
    )
    lines = (sentence.format(distance=whole(section.distance)), *map(_summary, section.scales))
    return Part("repeats", title, lines, (_table(section),))


def _summary(of: RepeatedScale) -> str:
    values = {
        "name": of.name,
        "pairs": whole(of.pairs),
        "raters": whole(of.raters),
        "alike": tenths(100 * of.alike),
    }
    if of.icc is not None:
        text = _("{name}: {alike} % of {pairs} repeated ratings by {raters} raters are alike; ICC(A,1) is {figure}.")
        return text.format(**values, figure=decimals(of.icc.value))
    if of.kappa is not None:
        text = _("{name}: {alike} % of {pairs} repeated ratings by {raters} raters are alike; κ is {figure}.")
        return text.format(**values, figure=decimals(of.kappa.value))
    return _("{name}: {alike} % of {pairs} repeated ratings by {raters} raters are alike.").format(**values)


def _table(section: Repeats) -> Table:
    columns = (
        *titled(_("Scale"), _("Figure")),
        *titled(_("Value"), _("Low"), _("High"), digits=2),
        *titled(_("Pairs"), _("Raters")),
    )
    rows = tuple(row for each in section.scales for row in _rows(each))
    notes = (
        _("Low and high: the 95 % interval over raters."),
        _("ICC(A,1): absolute agreement of single ratings, 1 if both ratings are always the same."),
        _("κ: agreement beyond chance; with quadratic weights, the more two ratings differ, the more they count."),
        *sorted({note for each in section.scales for note in each.notes}),
    )
    return Table("repeats", _("First and second ratings"), columns, rows, notes)


def _rows(of: RepeatedScale) -> Iterator[tuple[Cell, ...]]:
    yield (of.name, _("Alike (%)"), 100 * of.alike, None, None, of.pairs, of.raters)
    figures = (
        (_("Second − first, mean"), of.difference, Scale(of.name, 0.0, of.high, of.unit)),
        (_("ICC(A,1)"), of.icc, None),
        (_("κ, quadratic weights") if of.is_weighted else _("κ"), of.kappa, None),
    )
    for name, figure, scale in figures:
        if figure is not None:
            values = [figure.value, figure.low, figure.high]
            yield (of.name, name, *(scaled(values, scale) if scale else values), of.pairs, of.raters)

"""Copies that were recognised and differences that were heard, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.sections.identification import Identification
from analysis.sections.parts import Part, p_value
from analysis.sections.preferences.display import named
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table


def part(results: Results) -> Part:
    """Return the section on a task about copies."""
    section, title = results.identification, _("Differences heard")
    if isinstance(section, Refusal):
        return Part("identification", title, refused=section.refused)
    if section.pairs:
        return Part("identification", title, tuple(_pair_lines(section)), (_pair_table(section),))
    columns = (
        Column(_("System")), Column(_("Right")), Column(_("Answers")), Column(_("Share"), 3), Column(_("Low"), 3),
        Column(_("High"), 3), Column(_("p, against guesses"), 3), Column("d′", 2), Column(_("Low, d′"), 2),
        Column(_("High, d′"), 2), Column(_("Raters")),
    )  # fmt: skip
    rows = tuple(
        (
            named(each.name), each.right, each.answers, each.share, each.low, each.high,
            p_value(each.p), each.d_prime, each.d_low, each.d_high, each.raters,
        )
        for each in section.systems
    )  # fmt: skip
    table = Table("abx", _("Right answers by system"), columns, rows)
    return Part("identification", title, tuple(_lines(section)), (table,))


def _lines(section: Identification) -> list[str]:
    guess = _(
        "X is a copy of the system’s clip or of the baseline’s, drawn for each trial: guesses are right in 50 % of the "
        "answers. p is the exact probability of as many right answers from guesses only, and d′ that of the "
        "differencing model."
    )
    return [guess, *sorted({each.note for each in section.systems} - {""})]


def _pair_table(section: Identification) -> Table:
    columns = (
        Column(_("System")), Column(_("Different pairs")), Column(_("Hits"), 3), Column(_("Identical pairs")),
        Column(_("False alarms"), 3), Column(_("Hits − false alarms"), 3), Column(_("Low"), 3), Column(_("High"), 3),
        Column("d′", 2), Column(_("Raters")),
    )  # fmt: skip
    rows = tuple(
        (
            named(each.name), each.different, each.hits, each.identical, each.false_alarms, each.gap, each.low,
            each.high, each.d_prime, each.raters,
        )
        for each in section.pairs
    )  # fmt: skip
    return Table("same_different", _("Pairs called different, by system"), columns, rows)


def _pair_lines(section: Identification) -> list[str]:
    meaning = _(
        "Half of the pairs are one clip twice: the system’s or the baseline’s. A difference is heard if the interval "
        "of hits − false alarms lies above 0. d′ is that of the differencing model for same–different, without an "
        "interval."
    )
    return [meaning, *sorted({each.note for each in section.pairs} - {""})]

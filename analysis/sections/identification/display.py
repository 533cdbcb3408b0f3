"""Copies that were recognised, on the page of an analysis and in its report."""

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
    section, title = results.identification, _("Copies recognised")
    if isinstance(section, Refusal):
        return Part("identification", title, refused=section.refused)
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

"""Copies that were recognised, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.sections.blocks import Block, TextTable, display_name, fixed, probability, share, span
from analysis.sections.identification import Identification, SystemCopies
from analysis.sections.parts import Part
from analysis.sections.results import Results
from analysis.sections.shared import NOT_COMPUTED, Refusal
from analysis.sections.tables import Column, Table
from core.text.numbers import whole

SMALLEST = 0.001


def blocks(results: Results) -> list[Block]:
    """Return the block of a task about copies."""
    section, title = results.identification, _("Copies recognised")
    if isinstance(section, Refusal):
        # Other tasks, and analyses of earlier releases, lack it.
        return [] if section == NOT_COMPUTED else [Block("identification", title, section.refused)]
    head = [
        _("System"), _("Right"), _("Answers"), _("Share"), _("95 % interval"), _("p, against guesses"), "d′",
        _("95 % interval"), _("Raters"),
    ]  # fmt: skip
    rows = [
        [
            display_name(each.name, each.name), whole(each.right), whole(each.answers), share(each.share),
            "–" if each.low is None or each.high is None else f"{share(each.low)} – {share(each.high)}",
            probability(each.p), fixed(each.d_prime), _ends(each), whole(each.raters),
        ]
        for each in section.systems
    ]  # fmt: skip
    table = TextTable(_("Right answers by system"), head, rows, "")
    return [Block("identification", title, lines=_lines(section), tables=[table])]


def parts(results: Results) -> list[Part]:
    """Return the section of a report on a task about copies."""
    section, title = results.identification, _("Copies recognised")
    if isinstance(section, Refusal):
        return [] if section == NOT_COMPUTED else [Part("identification", title, refused=section.refused)]
    columns = (
        Column(_("System")), Column(_("Right")), Column(_("Answers")), Column(_("Share"), 3), Column(_("Low"), 3),
        Column(_("High"), 3), Column(_("p, against guesses"), 3), Column("d′", 2), Column(_("Low, d′"), 2),
        Column(_("High, d′"), 2), Column(_("Raters")),
    )  # fmt: skip
    rows = tuple(
        (
            each.name, each.right, each.answers, each.share, each.low, each.high,
            each.p if each.p >= SMALLEST else f"<{SMALLEST}", each.d_prime, each.d_low, each.d_high, each.raters,
        )
        for each in section.systems
    )  # fmt: skip
    table = Table("abx", _("Right answers by system"), columns, rows)
    return [Part("identification", title, tuple(_lines(section)), (table,))]


def _lines(section: Identification) -> list[str]:
    guess = _(
        "X is a copy of the system’s clip or of the baseline’s, drawn for each trial: guesses are right in 50 % of the "
        "answers. p is the exact probability of as many right answers from guesses only, and d′ that of the "
        "differencing model."
    )
    return [guess, *sorted({each.note for each in section.systems} - {""})]


def _ends(each: SystemCopies) -> str:
    if each.d_low is None:
        return "–"
    return _("at least {low}").format(low=fixed(each.d_low)) if each.d_high is None else span(each.d_low, each.d_high)

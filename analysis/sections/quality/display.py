"""Agreement, checks and drift, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots.words import Scale
from analysis.sections.agreement import display as agreement_display
from analysis.sections.parts import Part, scale_of, scaled
from analysis.sections.quality import Quality
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table, titled
from core.text.numbers import decimals, percent, whole


def part(results: Results) -> Part:
    """Return the section on agreement, traps and drift."""
    quality, agreement, title = results.quality, results.agreement, _("Agreement and data quality")
    tables, sentences = [], []
    if isinstance(agreement, Refusal):
        sentences.append(_("Agreement: {why}").format(why=agreement.refused))
    else:
        tables.append(agreement_display.table(agreement))
        sentences += agreement_display.sentences(agreement)
    if isinstance(quality, Refusal):
        sentences.append(quality.refused)
    else:
        scale = scale_of(results)
        tables += _tables(quality, scale)
        sentences += _sentences(quality, scale)
    return Part("quality", title, tuple(sentences), tuple(tables), ("drift",))


def _tables(quality: Quality, scale: Scale) -> list[Table]:
    tables = []
    if quality.traps:
        traps = tuple((row.label, row.asked, row.right, 100 * row.share) for row in quality.traps)
        columns = (*titled(_("Check"), _("Asked"), _("Right")), Column("%", 1))
        notes = (_("Over every full batch, valid or not."),)
        tables.append(Table("checks", _("Traps and golden questions"), columns, traps, notes))
    if quality.drift:
        drift = tuple(
            (
                str(row.first) if row.first == row.last else f"{row.first}–{row.last}",
                *scaled([row.score], scale),
                row.response,
                row.ratings,
            )
            for row in quality.drift
        )
        columns = (
            Column(_("Trials of the session")),
            Column(scale.title, scale.digits + 1),
            Column(_("Response, median (s)"), 1),
            Column(_("Ratings")),
        )
        tables.append(Table("drift", _("Over the session"), columns, drift))
    return tables


def _sentences(quality: Quality, scale: Scale) -> list[str]:
    sentences = []
    if quality.guesser is not None:
        words = _("{n} of {all} batches passed; a pure guesser passes {rate}.")
        passed, decided = whole(quality.batches_valid), whole(quality.batches_decided)
        sentences.append(words.format(n=passed, all=decided, rate=percent(quality.guesser, 1)))
    if slope := quality.slope:
        words = _(
            "Drift: the score changes by {mean} with each place in the session [{low}, {high}], adjusted for systems."
        )
        ends = {name: decimals(scale.factor * getattr(slope, name), 4) for name in ("mean", "low", "high")}
        sentences.append(words.format(**ends))
    return [*sentences, *quality.notes]

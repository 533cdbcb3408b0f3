"""Checks and drift, on the page of an analysis and in its report; the report adds agreement."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.sections.blocks import Block, TextTable, axis, fixed, method_name, metric_name, share, span
from analysis.sections.parts import Part, row_name
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table
from analysis.stats.figures import Distance
from core.text.numbers import tenths, whole


def block(results: Results) -> Block:
    """Return the block of checks passed, and drift over the session."""
    section, title = results.quality, _("Checks and drift")
    if isinstance(section, Refusal):
        return Block("quality", title, section.refused)
    of, tables = axis(results), []
    if section.traps:
        rows = [[row.label, share(row.share), f"{whole(row.right)} / {whole(row.asked)}"] for row in section.traps]
        tables.append(
            TextTable(_("Checks, over every full batch"), [_("Check"), _("Passed"), _("Right of asked")], rows)
        )
    if section.drift:
        rows = [
            [
                str(row.first) if row.first == row.last else f"{row.first}–{row.last}",
                of.show(row.score, 1),
                "–" if row.response is None else tenths(row.response),
                whole(row.ratings),
            ]
            for row in section.drift
        ]
        head = [_("Trials of the session"), _("Mean score"), _("Median seconds"), _("Ratings")]
        tables.append(TextTable(_("Over the session"), head, rows))
    lines = []
    if section.guesser is not None:
        lines.append(
            _("{n} of {all} batches passed; a pure guesser passes {rate}.").format(
                n=whole(section.batches_valid), all=whole(section.batches_decided), rate=share(section.guesser)
            )
        )
    if slope := section.slope:
        lines.append(
            _("Change of score by one place of the session, systems held equal: {slope} ({interval}).").format(
                slope=fixed(slope.mean, 4), interval=span(slope.low, slope.high, 4)
            )
        )
    return Block("quality", title, lines=[*lines, *section.notes], tables=tables)


def part(results: Results) -> Part:
    """Return the report's section on agreement, traps and drift."""
    quality, agreement = results.quality, results.agreement
    tables, sentences = [], []
    if not isinstance(agreement, Refusal):
        rows: list[tuple[Cell, ...]] = [
            (row_name(row), row.alpha, row.low, row.high, row.units, row.ratings) for row in agreement.alpha
        ]
        heads = (Column("α", 3), Column(_("Low"), 3), Column(_("High"), 3), Column(_("Clips")), Column(_("Ratings")))
        metric = agreement.alpha[0].metric if agreement.alpha else ""
        title = _("Krippendorff’s alpha ({metric})").format(metric=metric_name(metric))
        tables.append(Table("alpha", title, (Column(_("System")), *heads), tuple(rows), tuple(agreement.notes)))
        sentences += (
            [_("Fleiss’ kappa: {value}.").format(value=f"{agreement.fleiss:.3f}")]
            if agreement.fleiss is not None
            else []
        )
        if agreement.cohen is not None:
            words = _("Cohen’s kappa, mean over {n} pairs of raters: {value}.")
            sentences.append(words.format(n=whole(agreement.cohen_pairs), value=f"{agreement.cohen:.3f}"))
        sentences += [_halves(agreement.halves)] if agreement.halves else []
    else:
        sentences.append(_("Agreement: {why}").format(why=agreement.refused))
    if not isinstance(quality, Refusal):
        traps = tuple((row.label, row.asked, row.right, 100 * row.share) for row in quality.traps)
        columns = (Column(_("Check")), Column(_("Asked")), Column(_("Right")), Column("%", 1))
        tables += [Table("checks", _("Traps and golden questions"), columns, traps)] if traps else []
        if quality.guesser is not None:
            words = _("A pure guesser passes a batch with probability {share} %.")
            sentences.append(words.format(share=f"{100 * quality.guesser:.1f}"))
        slope = quality.slope
        if slope:
            words = _(
                "Drift: the score changes by {mean} with each place in the session [{low}, {high}], adjusted for "
                "systems."
            )
            ends = {name: f"{getattr(slope, name):+.4f}" for name in ("mean", "low", "high")}
            sentences.append(words.format(**ends))
        sentences += quality.notes
    else:
        sentences.append(quality.refused)
    return Part("quality", _("Agreement and data quality"), tuple(sentences), tuple(tables), ("drift",))


def _halves(halves: Distance) -> str:
    words = _(
        "Two halves of the raters order the {n} systems with a Kendall distance of {distance} (p {p}, {method}; the "
        "smallest p possible is {least})."
    )
    return words.format(
        n=halves.n,
        distance=f"{halves.distance:.3f}",
        p=f"{halves.p:.3f}",
        method=method_name(halves.method),
        least=f"{halves.smallest_p:.3f}",
    )

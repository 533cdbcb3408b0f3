"""Exclusions, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.data.groups import HUMAN
from analysis.sections.blocks import Block, TextTable
from analysis.sections.exclusions import rule_label
from analysis.sections.multiverse import Multiverse
from analysis.sections.parts import Part, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table
from core.text.numbers import whole

PLOTTED_RULES = 12


def block(results: Results) -> Block:
    """Return the block of what each rule excludes."""
    section, title = results.exclusions, _("Exclusions")
    if isinstance(section, Refusal):
        return Block("exclusions", title, section.refused)
    lines = [
        _("{counted} of {given} ratings of test clips count, of {raters} of {all} raters.").format(
            counted=whole(section.counted),
            given=whole(section.given),
            raters=whole(section.raters_counted),
            all=whole(section.raters_given),
        )
    ]
    if section.pending:
        lines.append(_("Experts have not decided {n} reasons yet; those count.").format(n=whole(section.pending)))
    rows = [[row.label, whole(row.ratings), whole(row.raters), whole(row.alone)] for row in section.reasons]
    head = [_("Rule"), _("Ratings"), _("Raters"), _("By this rule alone")]
    return Block("exclusions", title, lines=lines, tables=[TextTable(_("By reason"), head, rows)] if rows else [])


def part(results: Results) -> Part:
    """Return the report's section on exclusions, and their effect on the scores."""
    exclusions, multiverse = results.exclusions, results.multiverse
    if isinstance(exclusions, Refusal):
        return Part("exclusions", _("Exclusions"), refused=exclusions.refused)
    rows = tuple((row.label, row.ratings, row.raters, row.alone) for row in exclusions.reasons)
    columns = (Column(_("Reason")), Column(_("Ratings")), Column(_("Raters")), Column(_("By this reason alone")))
    sentences = [
        _("Of {given} ratings of test clips by {raters_given} raters, {counted} by {raters} raters count.").format(
            given=whole(exclusions.given),
            raters_given=whole(exclusions.raters_given),
            counted=whole(exclusions.counted),
            raters=whole(exclusions.raters_counted),
        )
    ]
    if exclusions.late or exclusions.surplus:
        words = _("Of them {late} came late and {surplus} are surplus; they count.")
        sentences.append(words.format(late=whole(exclusions.late), surplus=whole(exclusions.surplus)))
    if exclusions.pending:
        words = ngettext(
            "Review pending: {n} reason awaits an expert, and counts until then.",
            "Review pending: {n} reasons await an expert, and count until then.",
            exclusions.pending,
        )
        sentences.append(words.format(n=whole(exclusions.pending)))
    tables = [Table("exclusions", _("Excluded ratings by reason"), columns, rows)] if rows else []
    if not isinstance(multiverse, Refusal):
        tables.append(_multiverse(multiverse, results))
        words = _(
            "Under {n} of {all} choices of exclusion rules the systems stand in the same order as under all rules."
        )
        sentences.append(words.format(n=multiverse.same_order, all=len(multiverse.universes)))
    else:
        sentences.append(_("Scores under other choices of rules: {why}").format(why=multiverse.refused))
    return Part("exclusions", _("Exclusions"), tuple(sentences), tuple(tables), ("multiverse",))


def _multiverse(multiverse: Multiverse, results: Results) -> Table:
    scale = scale_of(results)
    worlds = sorted(multiverse.universes, key=lambda world: (len(world.rules), world.rules))
    shown = worlds[:PLOTTED_RULES]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (", ".join(map(rule_label, world.rules)) or _("none"), sum(world.ratings), *scaled(world.scores, scale))
        for world in shown
    )
    columns = (
        Column(_("Rules applied")), Column(_("Ratings")),
        *(Column(_("human") if name == HUMAN else name, scale.digits + 1) for name in multiverse.systems),
    )  # fmt: skip
    words = _("The first {n} of {all}; all of them are on the plot.")
    notes = (words.format(n=len(shown), all=len(worlds)),) if len(shown) < len(worlds) else ()
    return Table(
        "multiverse", _("{score} under choices of exclusion rules").format(score=scale.name), columns, rows, notes
    )

"""Exclusions, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.sections.blocks import rating_unit
from analysis.sections.exclusions import Exclusions
from analysis.sections.multiverse import display as multiverse_display
from analysis.sections.parts import Part, is_in_pairs, scale_of
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Table, titled
from core.text.numbers import whole


def part(results: Results) -> Part:
    """Return the section on exclusions, and their effect on the scores."""
    exclusions, multiverse = results.exclusions, results.multiverse
    if isinstance(exclusions, Refusal):
        return Part("exclusions", _("Exclusions"), refused=exclusions.refused)
    rows = tuple((row.label, row.ratings, row.raters, row.alone) for row in exclusions.reasons)
    columns = titled(_("Reason"), _("Ratings"), _("Raters"), _("By this reason alone"))
    sentences = [rating_unit(results), *_sentences(exclusions)]
    tables = [_flow(exclusions)] if exclusions.steps else []
    tables += [Table("exclusions", _("Excluded ratings by reason"), columns, rows)] if rows else []
    if isinstance(multiverse, Refusal):
        if not is_in_pairs(results):
            sentences.append(_("Scores under other exclusion rules: {why}").format(why=multiverse.refused))
    else:
        tables.append(multiverse_display.table(multiverse, scale_of(results)))
        words = _(
            "Under {n} of {all} choices of exclusion rules the systems stand in the same order as under all rules."
        )
        sentences.append(words.format(n=multiverse.same_order, all=len(multiverse.universes)))
    return Part("exclusions", _("Exclusions"), tuple(filter(None, sentences)), tuple(tables), ("multiverse",))


def _flow(exclusions: Exclusions) -> Table:
    """Return the ratings from all that were given to those that count, rule by rule."""
    rows = (
        (_("all ratings of test clips"), None, exclusions.given, exclusions.raters_given),
        *((step.label, -step.out, step.ratings, step.raters) for step in exclusions.steps),
    )
    columns = titled(_("Step"), _("Change"), _("Ratings left"), _("Raters left"))
    notes = (_("Each rule counts the ratings that those above it left. The last row is what is analysed."),)
    return Table("exclusion_flow", _("Ratings after each exclusion"), columns, rows, notes)


def _sentences(exclusions: Exclusions) -> list[str]:
    sentences = [
        _("{counted} of {given} ratings of test clips are usable, from {raters} of {raters_given} raters.").format(
            given=whole(exclusions.given),
            raters_given=whole(exclusions.raters_given),
            counted=whole(exclusions.counted),
            raters=whole(exclusions.raters_counted),
        )
    ]
    if exclusions.late or exclusions.surplus:
        words = _("Among the usable ratings, {late} came late and {surplus} are surplus.")
        sentences.append(words.format(late=whole(exclusions.late), surplus=whole(exclusions.surplus)))
    if exclusions.pending:
        words = ngettext(
            "Review pending: {n} reason awaits an expert, and counts until then.",
            "Review pending: {n} reasons await an expert, and count until then.",
            exclusions.pending,
        )
        sentences.append(words.format(n=whole(exclusions.pending)))
    return sentences

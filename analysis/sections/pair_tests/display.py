"""Tests and effect sizes of pairs, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.data.groups import HUMAN
from analysis.plots.words import Scale
from analysis.sections.pair_tests import PairTest, PairTests
from analysis.sections.parts import Part, in_points, interval_note, p_value, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table, titled


def part(results: Results) -> Part:
    """Return the section on tests and effect sizes."""
    section, title = results.pair_tests, _("Tests and effect sizes of the comparisons")
    if isinstance(section, Refusal):
        return Part("pair_tests", title, refused=section.refused)
    scale = scale_of(results)
    sentences = (
        *primary(results),
        _(
            "For readers who expect these tests. None of them decides: the comparisons of systems above account for "
            "raters and texts, and for all pairs together."
        ),
    )
    tables = (_tests(scale, section), _effects(scale, section), *_by_text(scale, section))
    return Part("pair_tests", title, sentences, tables, ("text_differences",))


def primary(results: Results) -> list[str]:
    """Return a sentence on the primary contrast by its own interval; none if none was named before the launch."""
    tests, section, scale = results.pair_tests, results.contrasts, scale_of(results)
    if isinstance(tests, Refusal) or tests.primary is None:
        return []
    first, second = tests.primary
    names = {"first": name_of(first), "second": name_of(second)}
    pairs = () if isinstance(section, Refusal) else section.pairs
    for pair in pairs:
        if {pair.first, pair.second} == {first, second}:
            side = 1 if pair.first == first else -1
            low, high = sorted((side * pair.low, side * pair.high))
            text = _(
                "Primary contrast, named before the launch: {first} less {second} is {difference} {interval}, by its "
                "own 95 % interval, which is not adjusted for other pairs."
            )
            shown = {"difference": scale.show(side * pair.difference, 1), "interval": scale.interval(low, high, 1)}
            return [text.format(**names, **shown)]
    return [
        _("Primary contrast, named before the launch: {first} vs {second}. It could not be compared.").format(**names)
    ]


def _tests(scale: Scale, section: PairTests) -> Table:
    rows = tuple(
        (
            *_names(row),
            row.raters,
            _p(row.flips_raters),
            _p(row.wilcoxon),
            row.texts,
            _p(row.flips_texts),
            *([] if section.margin is None else [_p(row.equivalence)]),
        )
        for row in section.pairs
    )
    columns = (
        *titled(_("First"), _("Second"), _("Raters of both")),
        *titled(_("Sign flips by rater, p for these texts"), _("Wilcoxon by rater, p for these texts"), digits=3),
        Column(_("Texts of both")),
        Column(_("Sign flips by text, p for these raters"), 3),
        *([] if section.margin is None else [Column(_("Equivalence (TOST), p for raters and texts of this kind"), 3)]),
    )
    notes = [
        _("The p of sign flips and of Wilcoxon are two-sided. No p is adjusted for the number of pairs."),
        _(
            "Sign flips by rater: of each rater’s mean difference, so for these texts only. By text: of each text’s "
            "mean difference where both systems speak it, so for these raters only. Up to 13 differences all flips are "
            "counted (exact); with more, 9,999 are drawn with the seed of the analysis. Below 5 there is no test."
        ),
        _(
            "Wilcoxon’s signed-rank test of the raters’ mean differences: without zeros; exact up to 50 raters without "
            "ties, otherwise by the Normal approximation without a correction for continuity."
        ),
    ]
    if section.margin is not None:
        notes.append(
            _(
                "Equivalence: two one-sided tests that the difference lies within ± {margin}, by the error and degrees "
                "of freedom of the comparison. Equivalent at 2.5 % a side if p is below .025."
            ).format(margin=scale.show(section.margin))
        )
    return Table("pair_tests", _("Tests of the differences"), columns, rows, tuple(notes))


def _effects(scale: Scale, section: PairTests) -> Table:
    rows = tuple(
        (
            *_names(row),
            *scaled([row.sd], scale),
            row.effect,
            *([row.odds, row.odds_low, row.odds_high] if section.is_share else []),
        )
        for row in section.pairs
    )
    columns = (
        *titled(_("First"), _("Second")),
        Column(_("SD of one rating"), scale.digits + 1),
        Column(_("Difference / SD"), 2),
        *(titled(_("Odds ratio"), _("Low"), _("High"), digits=2) if section.is_share else ()),
    )
    notes = [
        _(
            "SD of one rating: the standard deviation within system, pooled over both systems, in the unit of the "
            "scores. Difference / SD: the difference of the means over it (Cohen’s d of single ratings)."
        )
    ]
    if section.is_share:
        notes += [
            _(
                "Odds ratio: the odds of the first system’s share over those of the second’s, averaged over the "
                "population of raters and texts; a dash where a share is 0 or 100 %. It accounts for raters and texts "
                "like the comparison."
            ),
            interval_note(),
        ]
    return Table("effect_sizes", _("Effect sizes"), columns, rows, tuple(notes))


def _by_text(scale: Scale, section: PairTests) -> list[Table]:
    by_text = section.by_text
    if by_text is None:
        return []
    rows = tuple((row.text, *scaled([row.difference, row.low, row.high], scale), row.ratings) for row in by_text.texts)
    columns = (
        Column(_("Text")),
        *titled(_("Difference"), _("Low"), _("High"), digits=scale.digits + 1),
        Column(_("Ratings")),
    )
    notes = (
        interval_note(),
        _("By raters only, for one text each; no interval where a system has fewer than 5 raters on the text."),
        *in_points(scale),
    )
    title = _("{first} less {second}, by text").format(first=name_of(by_text.first), second=name_of(by_text.second))
    return [Table("text_differences", title, columns, rows, notes)]


def _names(row: PairTest) -> list[Cell]:
    return [name_of(row.first), name_of(row.second)]


def name_of(name: str) -> str:
    """Return a system's name as tables print it."""
    return _("Human") if name == HUMAN else name


def _p(p: float | None) -> float | str | None:
    return None if p is None else p_value(p)

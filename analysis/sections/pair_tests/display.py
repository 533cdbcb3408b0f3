"""Tests and effect sizes of pairs, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.data.groups import HUMAN
from analysis.plots.words import Scale
from analysis.sections.pair_tests import PairTest, PairTests
from analysis.sections.parts import Part, interval_note, p_value, scale_of
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
    return Part("pair_tests", title, sentences, (_tests(scale, section), _effects(section)))


def primary(results: Results) -> list[str]:
    """Return a sentence on the primary contrast by its own interval; none if none was named before the launch."""
    tests, section, scale = results.pair_tests, results.contrasts, scale_of(results)
    if isinstance(tests, Refusal) or tests.primary is None:
        return []
    first, second = tests.primary
    names = {"first": _name(first), "second": _name(second)}
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
        _("All p are two-sided and not adjusted for the number of pairs."),
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


def _effects(section: PairTests) -> Table:
    rows = tuple(
        (*_names(row), row.effect, *([row.odds, row.odds_low, row.odds_high] if section.is_share else []))
        for row in section.pairs
    )
    columns = (
        *titled(_("First"), _("Second")),
        Column(_("Difference / SD"), 2),
        *(titled(_("Odds ratio"), _("Low"), _("High"), digits=2) if section.is_share else ()),
    )
    notes = [
        _(
            "Difference / SD: the difference of the means over the standard deviation of one rating within system, "
            "pooled over both systems (Cohen’s d of single ratings)."
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


def _names(row: PairTest) -> list[Cell]:
    return [_name(row.first), _name(row.second)]


def _name(name: str) -> str:
    return _("Human") if name == HUMAN else name


def _p(p: float | None) -> float | str | None:
    return None if p is None else p_value(p)

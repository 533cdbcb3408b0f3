"""Preferences between systems, on the page of an analysis and in its report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from analysis.sections import leads
from analysis.sections.blocks import display_name
from analysis.sections.parts import Part, is_in_pairs, p_value
from analysis.sections.preferences import PairShare, Preferences, QuestionPreferences
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table, titled
from analysis.stats.figures import PairProbability, SystemStrength
from core.text.numbers import percent

FORCED = "forced"


def lead(results: Results) -> list[str]:
    """Return the summary above the section: of two systems, how often one is preferred; of more, which differ."""
    section = results.preferences
    if isinstance(section, Refusal) or not section.probabilities:
        return []
    if len(section.probabilities) == 1:
        return [_led(section.probabilities[0])]
    # With a baseline, scores are compared, too, and answer the question.
    return leads.strengths(section.systems, section.probabilities) if is_in_pairs(results) else []


def _lines(section: Preferences) -> Iterator[str]:
    if section.refused:
        yield _("There are no strengths: {why}").format(why=section.refused)
    if order := section.first_heard:
        text = _(
            "Of two equal systems, the clip heard first is preferred in {share} ({low} to {high}) of the answers; "
            "strengths account for it."
        )
        yield text.format(share=percent(order.probability, 1), low=percent(order.low, 1), high=percent(order.high, 1))
    if section.tie is not None:
        yield _("Of two equal systems, {share} of the answers have no preference.").format(
            share=percent(section.tie, 1)
        )
    yield from sorted({each.note for each in section.systems if each.note})


def _in_pairs() -> str:
    return _(
        "Each system met several others, so every answer is about two systems, and scores can’t be compared like "
        "independent ones. Only this section compares the systems: there are no differences, tests or mixed models of "
        "scores."
    )


def _led(pair: PairProbability[str]) -> str:
    text = _("{first} is preferred to {second} in {share} of the answers ({low} to {high}).")
    first, second = _names(pair)
    ends = {"share": percent(pair.probability, 1), "low": percent(pair.low, 1), "high": percent(pair.high, 1)}
    return text.format(first=first, second=second, **ends)


def parts(results: Results) -> list[Part]:
    """Return the section on a task that compares systems, and one for each further question."""
    section, title = results.preferences, _("Preferences")
    # A stored refusal is read as preferences without pairs.
    if isinstance(section, Refusal) or not section.pairs:
        return [Part("preferences", title, refused=section.refused)]
    note = _("Log-odds by the model of Bradley and Terry, with Davidson’s ties; those of all systems add to 0.")
    has_ties = _offers_ties(results)
    tables = (
        _pair_table(section, has_ties=has_ties),
        *strength_tables(section.systems, section.probabilities, note),
    )
    lines = [*_lines(section), *([_in_pairs()] if is_in_pairs(results) else [])]
    whole = Part("preferences", title, tuple(lines), tables, ("strengths",))
    return [whole, *(_question(each, note, has_ties=has_ties) for each in section.questions)]


def _question(section: QuestionPreferences, note: str, *, has_ties: bool) -> Part:
    """Return the section on one more question, whose tables have names of their own."""
    tables = (_pair_table(section, has_ties=has_ties), *strength_tables(section.systems, section.probabilities, note))
    title = _("Preferences: {question}").format(question=section.question)
    named_tables = tuple(replace(table, name=f"{table.name}_{section.part}") for table in tables)
    return Part(f"preferences-{section.part}", title, tuple(_lines(section)), named_tables)


def _pair_table(section: Preferences, *, has_ties: bool) -> Table:
    counts = (_("First"), _("Second"), _("First preferred"), _("Second preferred"))
    columns = (
        *titled(*counts, *((_("No preference"),) if has_ties else ())),
        *titled(_("Share"), _("Low"), _("High"), digits=2),
    )
    rows = tuple(
        (*_names(pair), pair.wins, pair.losses, *((pair.ties,) if has_ties else ()), pair.share, pair.low, pair.high)
        for pair in section.pairs
    )
    note = _("Share: of the answers that prefer one of the two, those for the first.")
    whys = sorted({pair.note for pair in section.pairs if pair.note})
    return Table("preferences", _("Preferences by pair"), columns, rows, (note, *whys))


def _offers_ties(results: Results) -> bool:
    """True if raters may have had no preference; the choice “A or B”, the default, has no such answer."""
    is_forced = not isinstance(results.design, Refusal) and results.design.parameters.get("answer", FORCED) == FORCED
    pairs = () if isinstance(results.preferences, Refusal) else results.preferences.pairs
    return not is_forced or any(pair.ties for pair in pairs)


def _names(pair: PairShare | PairProbability[str]) -> tuple[str, str]:
    return named(pair.first), named(pair.second)


def named(name: str) -> str:
    """Return a system's name as people read it."""
    return display_name(name, name)


def strength_tables(
    strengths: Sequence[SystemStrength[str]], probabilities: Sequence[PairProbability[str]], note: str
) -> tuple[Table, ...]:
    """Return the tables of systems and pairs by the model that `note` names; none without strengths."""
    if not strengths:
        return ()
    systems = tuple(
        (
            named(each.name),
            each.value,
            each.low,
            each.high,
            each.letters,
            each.answers,
            each.raters,
            each.texts,
        )
        for each in strengths
    )
    pairs = tuple(
        (
            *_names(pair), pair.probability, pair.low, pair.high, pair.low_all, pair.high_all,
            p_value(pair.p),
        )
        for pair in probabilities
    )  # fmt: skip
    of_systems = (
        Column(_("System")),
        *titled(_("Strength"), _("Low"), _("High"), digits=2),
        *titled(_("Tier"), _("Answers"), _("Raters"), _("Texts")),
    )
    ends = (_("Probability"), _("Low"), _("High"), _("Low, all pairs"), _("High, all pairs"))
    of_pairs = (*titled(_("First"), _("Second")), *titled(*ends, digits=2), Column(_("p, adjusted"), 3))
    return (
        Table(
            "strengths",
            _("Strengths: systems that share a letter don’t differ"),
            of_systems,
            systems,
            (note,),
        ),
        Table(
            "strength_pairs",
            _("All pairs by the model"),
            of_pairs,
            pairs,
            (_("Probability that the first is preferred to the second, ties apart."),),
        ),
    )

"""Systems compared several at once, on the page of an analysis and in its report."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analysis.sections.parts import Part
from analysis.sections.preferences.display import named, strength_tables
from analysis.sections.results import Results
from analysis.sections.sets import SetResults
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table, titled
from core.text.numbers import decimals


def part(results: Results) -> Part:
    """Return the section on a task that compares systems several at once."""
    section, title = results.sets, _("Systems compared")
    # A stored refusal is read as a result without systems.
    if isinstance(section, Refusal) or not (section.counts or section.ranks):
        return Part("sets", title, refused=section.refused)
    note = (
        _("Log-odds by the model of Plackett and Luce; those of all systems add to 0.")
        if section.ranks
        else _("Log-odds to be chosen as the best, then as the worst of the others; those of all systems add to 0.")
    )
    tables = (_table(section), *strength_tables(section.systems, section.probabilities, note))
    return Part("sets", title, tuple(_lines(section)), tables, ("strengths",))


def _lines(section: SetResults) -> Iterator[str]:
    if section.refused:
        yield _("There are no strengths: {why}").format(why=section.refused)
    if half := section.halves:
        text = _(
            "Between random halves of the answers, the scores correlate with r = {r} on average ({low} to {high} in "
            "{splits} halvings); all answers together are more reliable."
        )
        yield text.format(
            r=decimals(half.pearson), low=decimals(half.low), high=decimals(half.high), splits=half.splits
        )
    elif section.halves_refused:
        yield section.halves_refused
    if section.ranks and len(section.sizes) > 1:
        text = _("Sets have {least} to {most} clips: mean ranks don’t compare between systems of different sets.")
        yield text.format(least=section.sizes[0], most=section.sizes[-1])
    notes = [each.note for each in section.counts] + [each.note for each in section.ranks]
    yield from sorted({*notes, *(each.note for each in section.systems)} - {""})


def _table(section: SetResults) -> Table:
    if section.ranks:
        head = (Column(_("System")), *titled(_("Mean rank"), _("Low"), _("High"), digits=2), Column(_("Shown")))
        return Table(
            "mean_ranks",
            _("Mean ranks: 1 is the best"),
            head,
            tuple((named(each.name), each.rank, each.low, each.high, each.shown) for each in section.ranks),
        )
    head = (
        Column(_("System")),
        *titled(_("Score"), _("Low"), _("High"), digits=2),
        *titled(_("Shown"), _("Best"), _("Worst")),
    )
    rows = tuple(
        (named(each.name), each.score, each.low, each.high, each.shown, each.best, each.worst)
        for each in section.counts
    )
    note = _("Score: (best − worst) / shown, from −1 to 1.")
    return Table("best_worst", _("Best and worst"), head, rows, (note,))

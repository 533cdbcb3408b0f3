"""Scores as tables, on the page of an analysis and in its report."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.data.groups import HUMAN
from analysis.plots.charts import Axis
from analysis.plots.words import Scale
from analysis.sections import leads
from analysis.sections.blocks import BY, TRAINED
from analysis.sections.parts import Part, group_name, interval_note, listed, row_name, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.scores import Crossed, Group, Scores
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table, titled

GROUPINGS: dict[str, Promise] = {
    "system": gettext_lazy("{score} by system"),
    "domain": gettext_lazy("{score} by domain"),
    "benchmark": gettext_lazy("{score} by benchmark"),
    "condition": gettext_lazy("{score} by condition"),
    "dimension": gettext_lazy("{score} by dimension"),
    "box": gettext_lazy("{score} by box"),
    "voice": gettext_lazy("{score} by voice"),
    "overall": gettext_lazy("{score} over all systems"),
}
CROSSED: dict[str, Promise] = {
    "benchmark": gettext_lazy("{score} by system and benchmark"),
    "condition": gettext_lazy("{score} by system and condition"),
    "dimension": gettext_lazy("{score} by system and dimension"),
    "box": gettext_lazy("{score} by system and box"),
}


def lead(results: Results) -> list[str]:
    """Return the summary above the section."""
    section = results.scores
    if isinstance(section, Refusal):
        return []
    scale = results.study.scale
    of, groups = Axis(scale.low, scale.high, scale.unit, scale.sign), section.by.get("system", ())
    if section.over is not None and of.unit == "%":
        return leads.preferred(of, groups, section.over)
    if scale.about in ("copies", "differences"):
        return leads.recognised(of, groups, scale.about)
    baseline = None if isinstance(results.baseline, Refusal) else results.baseline
    is_from_traps = baseline is not None and baseline.source == "traps"
    return leads.scores(of, groups, baseline.human if baseline else None, is_from_traps=is_from_traps)


def part(results: Results) -> Part:
    """Return the section on scores: by every grouping, computed in other ways, and by pairs of groupings."""
    scores, scale = results.scores, scale_of(results)
    title = _("Scores ({name})").format(name=scale.name)
    if isinstance(scores, Refusal):
        return Part("scores", title, refused=scores.refused)
    tables = [_scores(by, scores.by[by], scale) for by in GROUPINGS if scores.by.get(by)]
    tables += [_means(by, crossed, scale) for by, crossed in scores.crossed.items()]
    tables += [_cells(by, crossed, scale) for by, crossed in scores.crossed.items()]
    plots = ("scores", "dimensions", "benchmarks", "figure2a", "figure2b")
    return Part("scores", title, tuple(scores.notes), (*tables, _others(scores, scale)), plots)


def _scores(by: str, groups: Sequence[Group], scale: Scale) -> Table:
    rows = tuple((_label(group, by), *_values(group, scale)) for group in groups)
    notes = sorted(
        {_("{name}: {note}").format(name=_label(group, by), note=group.note) for group in groups if group.note}
    )
    notes += leads.one_rater(Axis(scale.low, scale.high, scale.unit), groups)
    caution = (_("±, paper: for comparison only; it treats all answers as independent."),) if by == "system" else ()
    title = str(GROUPINGS[by]).format(score=scale.name)
    return Table(
        f"scores_{by}", title, (Column(str(BY[by])), *_columns(scale)), rows, (interval_note(), *notes, *caution)
    )


def _label(group: Group, by: str) -> str:
    if by == "voice" and group.system:
        return listed([group.name or row_name(group), _("Human") if group.system == HUMAN else group.system])
    return group_name(group, by)


def _columns(scale: Scale) -> tuple[Column, ...]:
    titles = (_("Low"), _("High"), _("±, paper"), _("Without trap rule"), _("Mean of clip means"))
    return (
        *titled(scale.title, *titles, digits=scale.digits + 1),
        *titled(_("Ratings"), _("Raters"), _("Clips")),
    )


def _values(group: Group, scale: Scale) -> tuple[Cell, ...]:
    paper = next((each for each in group.comparisons if each.label == "paper"), None)
    half = None if paper is None else (paper.high - paper.low) / 2
    values = [group.mean, group.low, group.high, half, group.without_traps, group.clip_mean]
    return (*scaled(values, scale), group.ratings, group.raters, group.clips)


def _means(by: str, crossed: Crossed, scale: Scale) -> Table:
    rows = tuple(
        (row_name(row), *scaled([*(None if cell is None else cell.mean for cell in row.cells), row.mu], scale))
        for row in crossed.rows
    )
    starred = tuple(
        (down, across)
        for down, row in enumerate(crossed.rows)
        for across, cell in enumerate(row.cells, start=1)
        if cell is not None and cell.is_seen
    )
    heads = (*(column or _("not given") for column in crossed.columns), "μ")
    columns = (Column(_("System")), *titled(*heads, digits=scale.digits + 1))
    notes = (_("μ: the mean of the row, each column with the same weight."), *([str(TRAINED)] if starred else []))
    title = str(CROSSED[by]).format(score=scale.name)
    return Table(f"means_system_{by}", title, columns, rows, notes, starred)


def _cells(by: str, crossed: Crossed, scale: Scale) -> Table:
    cells = [
        (row_name(row), column or _("not given"), cell)
        for row in crossed.rows
        for column, cell in zip(crossed.columns, row.cells, strict=True)
        if cell is not None
    ]
    rows = tuple((system, column, *_values(cell, scale)) for system, column, cell in cells)
    reasons = dict.fromkeys((column, cell.note) for _row, column, cell in cells if cell.note)
    notes = (
        interval_note(),
        *sorted(_("{name}: {note}").format(name=column, note=note) for column, note in reasons),
    )
    title = _("{title}, with intervals").format(title=str(CROSSED[by]).format(score=scale.name))
    return Table(f"scores_system_{by}", title, (*titled(_("System"), str(BY[by])), *_columns(scale)), rows, notes)


def _others(scores: Scores, scale: Scale) -> Table:
    """Return the means and intervals for comparison (rules C1, C5, D3) of every grouping."""
    groups = [(by, group) for by in GROUPINGS for group in scores.by.get(by, ())]
    asks = any(group.first_ratings is not None for _by, group in groups)
    rows: list[tuple[Cell, ...]] = []
    for by, group in groups:
        ways = {each.label: (each.low, each.high) for each in group.comparisons}
        ends = [end for label in ("raters only", "paper", "naive") for end in ways.get(label, (None, None))]
        firsts = [group.first, group.rater_mean] if asks else []
        rows.append((str(BY[by]), _label(group, by), *scaled([group.equal_mean, *firsts, *ends], scale)))
    heads = (
        _("Voices × dimensions weighted equally"), *((_("First raters"), _("Mean over raters")) if asks else ()),
        _("Low, raters only"), _("High, raters only"), _("Low, papers’ formula"), _("High, papers’ formula"),
        _("Low, naive"), _("High, naive"),
    )  # fmt: skip
    columns = (*titled(_("Grouping"), _("Group")), *titled(*heads, digits=scale.digits + 1))
    title = _("{score}: other averages and intervals, for comparison").format(score=scale.name)
    return Table("scores_compared", title, columns, tuple(rows))

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
from analysis.sections.blocks import BY, TRAINED, Block, TextTable, axis, name_of
from analysis.sections.parts import Part, listed, row_name, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.scores import Crossed, Group
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table
from core.text.numbers import whole

GROUPINGS: dict[str, Promise] = {
    "system": gettext_lazy("{score} by system"),
    "domain": gettext_lazy("{score} by domain"),
    "benchmark": gettext_lazy("{score} by benchmark"),
    "condition": gettext_lazy("{score} by condition"),
    "dimension": gettext_lazy("{score} by dimension"),
    "box": gettext_lazy("{score} by box"),
    "voice": gettext_lazy("{score} by voice"),
}


def block(results: Results) -> Block:
    """Return the block with a table for each grouping, and for systems by benchmark and other columns."""
    section = results.scores
    title = _("Scores ({name})").format(name=results.study.scale.name)
    if isinstance(section, Refusal):
        return Block("scores", title, section.refused)
    of = axis(results)
    tables = [_groups(of, by, groups) for by, groups in section.by.items() if by != "cells"]
    tables += [_crossed(of, by, table) for by, table in section.crossed.items()]
    baseline = None if isinstance(results.baseline, Refusal) else results.baseline
    groups = section.by.get("system", ())
    if section.over is not None and of.unit == "%":
        lead = leads.preferred(of, groups, section.over)
    elif results.study.scale.about in ("copies", "differences"):
        lead = leads.recognised(of, groups, results.study.scale.about)
    else:
        lead = leads.scores(
            of,
            groups,
            baseline.human if baseline else None,
            is_from_traps=baseline is not None and baseline.source == "traps",
        )
    return Block("scores", title, lines=section.notes, tables=tables, lead=lead)


def _groups(of: Axis, by: str, groups: Sequence[Group]) -> TextTable:
    compared = ["raters only", "paper", "naive"]
    asks = any(group.first_ratings is not None for group in groups)
    columns = [
        str(BY[by]),
        _("Score"),
        _("95 % interval"),
        _("Ratings"),
        _("Raters"),
        _("Clips"),
        _("Mean of clip means"),
        _("Voices × dimensions alike"),
        _("Without the trap rule"),
        *([_("First raters"), _("Mean over raters")] if asks else []),
        _("For comparison: raters only"),
        _("For comparison: the papers’ formula"),
        _("For comparison: naive"),
    ]
    rows = []
    for group in groups:
        others = {each.label: each for each in group.comparisons}
        mark = " †" if group.is_apart else ""
        rows.append(
            [
                f"{name_of(group)} · {_('human') if group.system == HUMAN else group.system}"
                if by == "voice" and group.system
                else name_of(group),
                of.show(group.mean, 1) + mark,
                of.interval(group.low, group.high, 1),
                whole(group.ratings),
                whole(group.raters),
                whole(group.clips),
                of.show(group.clip_mean, 1),
                of.show(group.equal_mean, 1),
                of.show(group.without_traps, 1),
                *([of.show(group.first, 1), of.show(group.rater_mean, 1)] if asks else []),
                *(
                    of.interval(others[label].low, others[label].high, 1) if label in others else "–"
                    for label in compared
                ),
            ]
        )
    notes = [*sorted({group.note for group in groups if group.note}), *leads.one_rater(of, groups)]
    return TextTable(_("By {by}").format(by=str(BY[by]).lower()), columns, rows, " ".join(notes))


def _crossed(of: Axis, by: str, table: Crossed) -> TextTable:
    rows = [
        [
            name_of(row),
            *(
                "–"
                if cell is None
                else f"{of.show(cell.mean, 1)}{'*' * cell.is_seen} ({of.interval(cell.low, cell.high, 1)})"
                for cell in row.cells
            ),
            of.show(row.mu, 1),
        ]
        for row in table.rows
    ]
    columns = [_("System"), *(column or _("not given") for column in table.columns), "μ"]
    note = str(TRAINED) if table.has_seen else ""
    return TextTable(_("Systems by {by}").format(by=str(BY[by]).lower()), columns, rows, note)


def part(results: Results) -> Part:
    """Return the report's section on scores: with the default interval, with the paper's, and without the trap rule."""
    scores = results.scores
    if isinstance(scores, Refusal):
        return Part("scores", _("Scores"), refused=scores.refused)
    scale = scale_of(results)
    tables = [_scores(by, scores.by[by], scale) for by in GROUPINGS if scores.by.get(by)]
    plots = ("scores", "dimensions", "benchmarks", "figure2a", "figure2b")
    return Part("scores", _("Scores"), tuple(scores.notes), tuple(tables), plots)


def _scores(by: str, groups: Sequence[Group], scale: Scale) -> Table:
    digits = scale.digits + 1
    titles = (_("Low"), _("High"), _("±, paper"), _("Without trap rule"), _("Mean of clip means"))
    heads = (Column(str(BY[by])), Column(scale.title, digits), *(Column(title, digits) for title in titles))
    rows: list[tuple[Cell, ...]] = []
    for group in groups:
        paper = next((each for each in group.comparisons if each.label == "paper"), None)
        half = None if paper is None else (paper.high - paper.low) / 2
        values = [group.mean, group.low, group.high, half, group.without_traps, group.clip_mean]
        label = (
            listed([row_name(group), _("human") if group.system == HUMAN else group.system])
            if by == "voice" and group.system
            else row_name(group)
        )
        rows.append((label, *scaled(values, scale), group.ratings, group.raters, group.clips))
    counts = (Column(_("Ratings")), Column(_("Raters")), Column(_("Clips")))
    notes = sorted(
        {_("{name}: {note}").format(name=row_name(group), note=group.note) for group in groups if group.note}
    )
    notes += leads.one_rater(Axis(scale.low, scale.high, scale.unit), groups)
    caution = (_("±, paper: for comparison only; it takes all answers as independent."),) if by == "system" else ()
    return Table(
        f"scores_{by}", str(GROUPINGS[by]).format(score=scale.name), (*heads, *counts), tuple(rows), (*notes, *caution)
    )

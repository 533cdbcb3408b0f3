"""Scores as tables, on the page of an analysis."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from analysis.data.groups import HUMAN
from analysis.plots.charts import Axis, whole
from analysis.sections.blocks import BY, Block, TextTable, axis, name_of
from analysis.sections.results import Results
from analysis.sections.scores.result import Crossed, Group
from analysis.sections.shared import Refusal


def block(results: Results) -> Block:
    """Return a table for each grouping, and those of systems × benchmark and the like."""
    section = results.scores
    title = _("Scores ({name})").format(name=results.study.scale.name)
    if isinstance(section, Refusal):
        return Block("scores", title, section.refused)
    of = axis(results)
    tables = [_groups(of, by, groups) for by, groups in section.by.items() if by != "cells"]
    tables += [_crossed(of, by, table) for by, table in section.crossed.items()]
    return Block("scores", title, lines=section.notes, tables=tables)


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
    notes = sorted({group.note for group in groups if group.note})
    return TextTable(_("By {by}").format(by=str(BY[by]).lower()), columns, rows, " ".join(notes))


def _crossed(of: Axis, by: str, table: Crossed) -> TextTable:
    rows = [
        [
            name_of(row),
            *(
                "–" if cell is None else f"{of.show(cell.mean, 1)} ({of.interval(cell.low, cell.high, 1)})"
                for cell in row.cells
            ),
            of.show(row.mu, 1),
        ]
        for row in table.rows
    ]
    columns = [_("System"), *(column or _("not given") for column in table.columns), "μ"]
    return TextTable(_("Systems by {by}").format(by=str(BY[by]).lower()), columns, rows)

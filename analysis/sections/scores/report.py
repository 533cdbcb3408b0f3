"""Scores as tables, in the report."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.data.groups import HUMAN
from analysis.plots.words import Scale
from analysis.sections.blocks import BY
from analysis.sections.parts import Part, row_name, scale_of, scaled
from analysis.sections.prose import listed
from analysis.sections.results import Results
from analysis.sections.scores.result import Group
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table

GROUPINGS: dict[str, Promise] = {
    "system": gettext_lazy("{score} by system"),
    "domain": gettext_lazy("{score} by domain"),
    "benchmark": gettext_lazy("{score} by benchmark"),
    "condition": gettext_lazy("{score} by condition"),
    "dimension": gettext_lazy("{score} by dimension"),
    "box": gettext_lazy("{score} by box"),
    "voice": gettext_lazy("{score} by voice"),
}


def part(results: Results) -> Part:
    """Return scores with the default interval, the paper's beside it, and without the trap rule."""
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
    notes = sorted({_("{name}: {note}").format(name=row_name(group), note=group.note) for group in groups if group.note})
    caution = (_("±, paper: for comparison only; it takes all answers as independent."),) if by == "system" else ()
    return Table(
        f"scores_{by}", str(GROUPINGS[by]).format(score=scale.name), (*heads, *counts), tuple(rows), (*notes, *caution)
    )

"""Scores as tables, in the report."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.plots.words import Scale
from analysis.sections.parts import Part, name_of, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.scores.result import Group
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table

GROUPINGS = {
    "system": "System", "domain": "Domain", "benchmark": "Benchmark", "condition": "Condition",
    "dimension": "Dimension", "box": "Box", "voice": "Voice",
}  # fmt: skip


def part(results: Results) -> Part:
    """Return scores with the default interval, the paper's beside it, and without the trap rule."""
    scores = results.scores
    if isinstance(scores, Refusal):
        return Part("scores", "Scores", refused=scores.refused)
    scale = scale_of(results)
    tables = [_scores(by, scores.by[by], scale) for by in GROUPINGS if scores.by.get(by)]
    plots = ("scores", "dimensions", "benchmarks", "figure2a", "figure2b")
    return Part("scores", "Scores", tuple(scores.notes), tuple(tables), plots)


def _scores(by: str, groups: Sequence[Group], scale: Scale) -> Table:
    digits = scale.digits + 1
    titles = ("Low", "High", "±, paper", "Without trap rule", "Mean of clip means")
    heads = (Column(GROUPINGS[by]), Column(scale.title, digits), *(Column(title, digits) for title in titles))
    rows: list[tuple[Cell, ...]] = []
    for group in groups:
        paper = next((each for each in group.comparisons if each.label == "paper"), None)
        half = None if paper is None else (paper.high - paper.low) / 2
        values = [group.mean, group.low, group.high, half, group.without_traps, group.clip_mean]
        label = f"{name_of(group)}, {group.system}" if by == "voice" and group.system else name_of(group)
        rows.append((label, *scaled(values, scale), group.ratings, group.raters, group.clips))
    counts = (Column("Ratings"), Column("Raters"), Column("Clips"))
    notes = sorted({f"{name_of(group)}: {group.note}" for group in groups if group.note})
    caution = ("±, paper: for comparison only; it takes all answers as independent.",) if by == "system" else ()
    return Table(f"scores_{by}", f"{scale.name} by {by}", (*heads, *counts), tuple(rows), (*notes, *caution))

"""Context of the Results page."""

from __future__ import annotations

from typing import Any

from analysis.data.groups import ACROSS_SYSTEMS
from analysis.live import answers_page, scores_page, work_page
from analysis.live.result import Figures
from analysis.sections import blocks, leads
from studies.decisions.queue import MOST_COUNTED


def view(figures: Figures, by: str) -> dict[str, Any]:
    """Return the context of the page's template."""
    rows, axis = figures.scores[by], scores_page.axis_of(figures)
    return {
        "reading": scores_page.reading(figures),
        "lead": scores_page.lead(figures, by),
        "axis": axis,
        "rows": rows,
        "crossed": [(key, blocks.BY[key], table) for key, table in figures.crossed.items()],
        "groupings": [(key, blocks.BY[key], key == by) for key in scores_page.groupings(figures)],
        "group": blocks.BY[by],
        "across": by in ACROSS_SYSTEMS,
        # Columns to the right of the ratings, empty in the row of the human baseline.
        "rest": 4 + 2 * bool(figures.first_raters) + bool(figures.traps),
        "is_apart": any(scores_page.is_apart(row, axis) for row in rows),
        "methods": {row.method for row in rows},
        "one_rater": leads.one_rater(axis, rows),
        "compared": scores_page.blocks(figures),
        "is_preliminary": any(scores_page.is_preliminary(row, axis) for row in rows),
        "breakdowns": answers_page.breakdowns(figures, by),
        "most_counted": MOST_COUNTED,
        **work(figures),
        "all_invalid": figures.batches.invalid > 0 == figures.batches.valid,
    }


def work(figures: Figures) -> dict[str, Any]:
    """Return the progress of the collection, without any score: people, checks and coverage."""
    return {
        "quota": work_page.quota(figures),
        "heat": work_page.heat(figures),
        "times": work_page.times(figures),
        "flow": work_page.flow(figures.people),
    }

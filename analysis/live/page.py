"""Context of the Results page."""

from __future__ import annotations

from typing import Any

from analysis.data.groups import ACROSS_SYSTEMS
from analysis.live import answers_page, scores_page, work_page
from analysis.live.result import Figures
from analysis.sections import blocks, leads
from core.web.listing import Listing, longest
from studies.decisions.queue import MOST_COUNTED


def view(figures: Figures, by: str, listing: Listing) -> dict[str, Any]:
    """Return the context of the page's template; of many systems, those of the listing."""
    axis = scores_page.axis_of(figures)
    page = listing.page_of(figures.scores[by], lambda row: f"{scores_page.group_name(row, by)} {row.system}")
    rows, names = list(page), scores_page.names(figures, listing)
    progress = work(figures, listing)
    return {
        "reading": scores_page.reading(figures),
        "lead": scores_page.lead(figures, by),
        "axis": axis,
        "rows": rows,
        "crossed": [
            (key, blocks.BY[key], table.model_copy(update={"rows": [row for row in table.rows if names.has(row)]}))
            for key, table in figures.crossed.items()
        ],
        "groupings": [(key, blocks.BY[key], key == by) for key in scores_page.groupings(figures)],
        "group": blocks.BY[by],
        "across": by in ACROSS_SYSTEMS,
        # Columns to the right of the ratings, empty in the row of the human baseline.
        "rest": 4 + 2 * bool(figures.first_raters) + bool(figures.traps),
        "is_apart": any(scores_page.is_apart(row, axis) for row in rows),
        "methods": {row.method for row in rows},
        "one_rater": leads.one_rater(axis, rows),
        "compared": scores_page.blocks(figures, names),
        "missing": scores_page.missing(figures, rows),
        "breakdowns": answers_page.breakdowns(figures, by, names),
        "most_counted": MOST_COUNTED,
        **progress,
        "page": longest([page, progress["page"]]),
        "all_invalid": figures.batches.invalid > 0 == figures.batches.valid,
    }


def work(figures: Figures, listing: Listing) -> dict[str, Any]:
    """Return the progress of the collection, without any score: people, checks and coverage."""
    heat = work_page.heat(figures)
    page = listing.page_of(heat["rows"], lambda row: row[0])
    return {
        "quota": work_page.quota(figures),
        "heat": {**heat, "rows": list(page)},
        "page": page,
        "listing": listing,
        "times": work_page.times(figures, scores_page.names(figures, listing)),
        "flow": work_page.flow(figures.people),
    }

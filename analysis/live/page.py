"""The whole page."""

from __future__ import annotations

from typing import Any

from analysis.data.groups import ACROSS_SYSTEMS
from analysis.live import answers_page, scores_page, work_page
from analysis.live.result import Figures
from analysis.plots.charts import whole
from analysis.sections import blocks, leads
from studies.decisions.queue import MOST_COUNTED


def view(figures: Figures, by: str) -> dict[str, Any]:
    """Return everything that the page's template names."""
    rows = scores_page.score_rows(figures, by)
    axis = scores_page.axis_of(figures)
    return {
        "name": figures.scale.name,
        "reading": scores_page.reading(figures),
        "lead": scores_page.lead(figures, by),
        "ticks": axis.ticks(),
        "zero": axis.zero,
        "rows": rows,
        "baseline": scores_page.baseline(figures),
        "crossed": scores_page.crossed(figures),
        "groupings": [(key, blocks.BY[key], key == by) for key in scores_page.groupings(figures)],
        "group": blocks.BY[by],
        "across": by in ACROSS_SYSTEMS,
        "first_raters": figures.first_raters,
        # The columns of the table right of a baseline's.
        "rest": 4 + 2 * bool(figures.first_raters) + bool(figures.traps),
        "is_apart": any(row.is_apart for row in rows),
        "is_wilson": any(row.is_wilson for row in rows),
        "is_log_odds": any(row.is_log_odds for row in rows),
        "one_rater": leads.one_rater(axis, figures.scores[by]),
        "has_text_pieces": figures.pieces == "text",
        "has_few_texts": figures.pieces == "raters",
        "compared": scores_page.blocks(figures),
        "is_preliminary": any(row.is_preliminary for row in rows),
        "breakdowns": answers_page.breakdowns(figures, by),
        "notes": answers_page.notes(figures),
        "times": answers_page.times(figures),
        "times_lead": answers_page.times_lead(figures),
        "review_pending": figures.review_pending,
        "most_counted": MOST_COUNTED,
        **work(figures),
        "arrived": figures.people.arrived,
        "answers": figures.answers,
        "all_invalid": figures.batches.invalid > 0 == figures.batches.valid,
        "simulated_sessions": figures.simulated_sessions,
    }


def work(figures: Figures) -> dict[str, Any]:
    """Return how the collection goes: people, checks and coverage, without a score."""
    return {
        "quota": work_page.quota(figures),
        "heat": work_page.heat(figures),
        "flow": work_page.flow(figures.people),
        "traps": work_page.traps(figures),
        "rule": work_page.rule(figures),
        "tiles": work_page.tiles(figures),
        "batches": {name: whole(count) for name, count in figures.batches},
    }

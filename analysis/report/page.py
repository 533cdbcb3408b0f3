"""The page of an analysis: the parts of its report, each with a summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from analysis.report import document
from analysis.sections.baseline import display as baseline_display
from analysis.sections.blocks import Block
from analysis.sections.contrasts import display as contrasts_display
from analysis.sections.pair_tests import display as pair_tests_display
from analysis.sections.participants import display as participants_display
from analysis.sections.preferences import display as preferences_display
from analysis.sections.results import Results
from analysis.sections.scores import display as scores_display
from analysis.sections.sentences import in_language
from analysis.sections.shared import Refusal
from analysis.sections.times import display as times_display
from core.text.numbers import whole

if TYPE_CHECKING:
    from analysis.sections.tables import Table
    from studies.definition.definition import Definition

LEADS: dict[str, Callable[[Results], Sequence[str]]] = {
    "preferences": preferences_display.lead,
    "scores": scores_display.lead,
    "human": baseline_display.lead,
    "contrasts": lambda results: [*pair_tests_display.primary(results), *contrasts_display.lead(results)],
    "times": times_display.lead,
    "participants": participants_display.lead,
}
# The report starts with them; the page starts with the results.
LAST = ("participants", "exclusions", "design", "papers")


def blocks(results: Results, definition: Definition | None = None, papers: Sequence[Table] = ()) -> list[Block]:
    """Return all parts of the report but the methods text; refused ones say why."""
    parts = {part.key: part for part in document.parts(results, definition, papers) if not part.is_prose}
    local_results = in_language(results)
    return [
        Block(
            parts[key],
            LEADS[key](local_results) if key in LEADS else (),
            participants_display.bars(local_results) if key == "participants" else (),
        )
        for key in [*(key for key in parts if key not in LAST), *(key for key in LAST if key in parts)]
    ]


def basis(results: Results) -> str:
    """Return a sentence on the number of ratings, raters and clips behind the scores; "" if there is no design."""
    design = results.design
    if isinstance(design, Refusal):
        return ""
    words = _("Usable ratings: {ratings}. Raters: {raters}. Clips: {clips}.")
    ratings = sum(system.ratings for system in design.systems)
    return words.format(ratings=whole(ratings), raters=whole(design.raters), clips=whole(design.clips))

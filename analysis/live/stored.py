"""The stored figures of studies' pages, one of `studies.summaries`, from all answers."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, Any

from analysis.data.models import Simulated
from analysis.live import result
from analysis.live.result import Figures
from core import clock
from studies.summaries import services as summaries
from studies.summaries.services import ShownSummary, SummaryKind

if TYPE_CHECKING:
    from studies.definition.models import Study


def _compute(study: Study, simulated: str) -> dict[str, Any]:
    # Imported here because it loads the statistics, which the web process avoids.
    from analysis.live import figures
    from analysis.sections.results import dump

    return dump(figures.compute(study_id=study.pk, simulated=Simulated(simulated), now=clock.now()))


FIGURES: SummaryKind[dict[str, Any]] = SummaryKind("figures", dict[str, Any], _compute)


def newest(study: Study, simulated: Simulated, *, now: datetime, at_once: bool = False) -> ShownSummary[dict[str, Any]]:
    """Return the figures last computed, and request newer ones if they are old; a draft has none."""
    if study.is_draft:
        return ShownSummary(None, None)
    return summaries.stored(FIGURES, study, now=now, choice=simulated, at_once=at_once)


def figures_of(study_ids: Collection[int]) -> dict[int, Figures]:
    """Return {study: figures last computed for real raters}, without those in an older format; one SELECT."""
    values = summaries.stored_values(FIGURES, study_ids, choice=Simulated.WITHOUT)
    loaded = ((study, result.load(value)) for study, value in values.items())
    return {study: shown for study, shown in loaded if shown is not None}

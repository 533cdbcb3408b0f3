"""The standing of studies in a terminal: state, ratings and sessions, never a score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analysis.live import figures
from core import clock
from raters.rating import monitor
from studies.definition import queries
from studies.launch import checks

if TYPE_CHECKING:
    from studies.definition.models import Study


def brief(study: Study) -> dict[str, Any]:
    """Return a study's names and state, and its usable ratings by real raters of those wanted (0 before the launch)."""
    definition = queries.definition(study)
    coverage = figures.coverage(study.pk, False, definition.protocol, monitor.usable_by_pool(study.pk, False))
    return {
        "slug": study.slug,
        "title": study.title,
        "state": study.state,
        "is_archived": study.archived_at is not None,
        "preset": definition.preset,
        "ratings": coverage.filled,
        "ratings_wanted": coverage.wanted,
    }


def full(study: Study) -> dict[str, Any]:
    """Return `brief`, and sessions, raters at work, batches, and the sentences that block the launch of a draft."""
    return {
        **brief(study),
        "sessions": monitor.flow(study.pk, False),
        "active": monitor.active(study.pk, False, clock.now()),
        "batches": monitor.batches(study.pk, False),
        "blocking": blocking(study),
    }


def blocking(study: Study) -> list[str]:
    """Return what blocks the launch of a draft."""
    if study.state != study.State.DRAFT:
        return []
    return [finding.message for finding in checks.findings(study) if finding.level == "blocking"]

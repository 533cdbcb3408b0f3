"""Whether scores may be seen yet, and who looked before that (rule D10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from analysis.models import ScoreOpening, ScoreSight
from studies.definition import queries as definition_queries

if TYPE_CHECKING:
    from studies.definition.models import Study


def is_hiding(study: Study) -> bool:
    """Say whether this study keeps its scores hidden now: from the launch until it is closed."""
    if study.state in {study.State.DRAFT, study.State.CLOSED}:
        return False
    return definition_queries.definition(study).results.hide_scores


def scores_are_hidden(study: Study, user: Any) -> bool:
    """Say whether this person (None: the shell) may not see scores: they are hidden, and not opened by them."""
    return is_hiding(study) and not has_opened(study, user)


def has_opened(study: Study, user: Any) -> bool:
    """Say whether this person opened the scores early; the shell has to say why each time."""
    return user is not None and ScoreOpening.objects.filter(study=study, by=user).exists()


def openings(study_id: int) -> Sequence[ScoreOpening]:
    """Return who opened the scores early, in order."""
    return list(ScoreOpening.objects.filter(study_id=study_id).select_related("by"))


def sights(study_id: int, limit: int | None = None) -> Sequence[ScoreSight]:
    """Return who looked at hidden scores, the newest first."""
    return list(ScoreSight.objects.filter(study_id=study_id).select_related("by").order_by("-pk")[:limit])

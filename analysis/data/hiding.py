"""Scores that stay hidden until a study ends: from whom, who opened them early and why, and who saw them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext as _

from analysis.data.models import ScoreOpening, ScoreSight
from core import clock
from core.errors import Conflict, Invalid
from studies.definition import queries as definition_queries
from studies.members import access
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from studies.definition.models import Study
# Visits within this time count once: a page refreshes itself every few seconds.
SAME_LOOK = timedelta(minutes=30)
LEAST_REASON = 10


def is_hiding(study: Study) -> bool:
    """True if this study hides its scores now: from launch until it is closed."""
    if study.is_draft or study.state == study.State.CLOSED:
        return False
    return definition_queries.definition(study).results.hide_scores


def scores_are_hidden(study: Study, user: Any) -> bool:
    """True if this user (None: the shell) may not see scores: by their role, or hidden and not opened by them."""
    return is_withheld(study, user) or (is_hiding(study) and not has_opened(study, user))


def is_withheld(study: Study, user: Any) -> bool:
    """True if this user's role hides scores, until the study is closed or always; a reason doesn't open these."""
    return user is not None and not access.may(study, user, Capability.SEE_SCORES)


def has_opened(study: Study, user: Any) -> bool:
    """True if this user opened the scores early; the shell has to give a reason each time."""
    return user is not None and ScoreOpening.objects.filter(study=study, by=user).exists()


def openings(study_id: int) -> Sequence[ScoreOpening]:
    """Return the early openings in order."""
    return list(ScoreOpening.objects.filter(study_id=study_id).select_related("by"))


def sights(study_id: int, limit: int | None = None) -> Sequence[ScoreSight]:
    """Return the logged views of hidden scores, newest first."""
    return list(ScoreSight.objects.filter(study_id=study_id).select_related("by").order_by("-pk")[:limit])


@transaction.atomic
def open_early(*, study: Study, user: Any, reason: str, now: datetime) -> ScoreOpening:
    """Open hidden scores early for one user (None: the shell, once) and record the reason; raises `Invalid`."""
    if is_withheld(study, user):
        raise access.NotAllowed(_("Your role in this study keeps its scores from you until it is closed."))
    if not is_hiding(study):
        raise Conflict(_("The scores of this study are not hidden."), code="not_hidden")
    reason = reason.strip()
    if not LEAST_REASON <= len(reason) <= 500:
        message = _("Say in 10 to 500 characters why the scores must be seen now; it is kept, shown and exported.")
        raise Invalid(message, {"reason": message})
    return ScoreOpening.objects.create(study=study, by=user, reason=reason, at=now)


def log_sight(*, study: Study, user: Any, what: str, now: datetime) -> bool:
    """Log that a user sees scores that are hidden from others; False if there is nothing to log.

    Never catch its errors: a view that can't be logged must not show scores.
    """
    if not is_hiding(study):
        return False
    seen = ScoreSight.objects.filter(study=study, by=user, what=what, at__gt=now - SAME_LOOK)
    if seen.exists():
        return False
    ScoreSight.objects.create(study=study, by=user, what=what, at=now)
    return True


def may_see_codes(study: Study, user: Any) -> bool:
    """True if the user may see the codes of answers, which tell human from machine as scores do; logs the view."""
    if scores_are_hidden(study, user):
        return False
    log_sight(study=study, user=user, what="codes", now=clock.now())
    return True

"""Open hidden scores early, and log who looks at them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext as _

from analysis.models import ScoreOpening, ScoreSight
from analysis.selectors import hiding
from core.errors import Conflict, Invalid

if TYPE_CHECKING:
    from studies.definition.models import Study

# A page that asks again every few seconds is one look.
SAME_LOOK = timedelta(minutes=30)
LEAST_REASON = 10


@transaction.atomic
def open_early(*, study: Study, user: Any, reason: str, now: datetime) -> ScoreOpening:
    """Open hidden scores for one person (None: the shell, once) with a reason that stays; raises `Invalid`."""
    if not hiding.is_hiding(study):
        raise Conflict(_("The scores of this study are not hidden."), code="not_hidden")
    reason = reason.strip()
    if not LEAST_REASON <= len(reason) <= 500:
        message = _("Say in 10 to 500 characters why the scores must be seen now; it is kept, shown and exported.")
        raise Invalid(message, {"reason": message})
    return ScoreOpening.objects.create(study=study, by=user, reason=reason, at=now)


def log_sight(*, study: Study, user: Any, what: str, now: datetime) -> bool:
    """Note that somebody sees scores which are hidden from others; False where that is nothing to note.

    What it raises is never caught on the way: nobody sees scores whose sight could not be noted.
    """
    if not hiding.is_hiding(study):
        return False
    seen = ScoreSight.objects.filter(study=study, by=user, what=what, at__gt=now - SAME_LOOK)
    if seen.exists():
        return False
    ScoreSight.objects.create(study=study, by=user, what=what, at=now)
    return True

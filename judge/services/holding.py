"""Hold clips back from raters by a rule, and take that back: always a researcher's own act, never by itself."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid
from judge.models import HeldClip, Hold
from judge.selectors import holding
from judge.selectors.holding import Rule
from studies.clips.queries import recordings
from studies.imports import changes


@transaction.atomic
def hold(*, study_id: int, rule: Rule, shown: str, user: Any, now: datetime) -> Hold:
    """Withdraw the clips that a rule names, if they are the ones whose list (`shown`, its digest) was confirmed.

    Raises `Invalid` for a rule that names none, `Conflict` when the list has changed since.
    """
    found = holding.matches(study_id, rule)
    if not found:
        raise Invalid(_("The rule names no clip: nothing is held back."))
    if holding.digest(found) != shown:
        raise Conflict(_("The list has changed since it was shown. Look at it again, then confirm it."), code="changed")
    made = Hold.objects.create(study_id=study_id, rule=rule.model_dump(), made_at=now, made_by=user)
    HeldClip.objects.bulk_create(
        HeldClip(hold=made, clip_id=match.recording.clip, value=match.value, reason=match.reason) for match in found
    )
    changes.withdraw(clips=[match.recording.clip for match in found], now=now)
    return made


@transaction.atomic
def undo(*, hold: Hold, user: Any, now: datetime) -> int:
    """Serve the clips of a hold again; return how many came back. Raises `Conflict` when it was taken back before."""
    rows = Hold.objects.filter(pk=hold.pk, undone_at=None)
    if not rows.update(undone_at=now, undone_by=user):
        raise Conflict(_("These clips were taken back already."), code="undone")
    out = {recording.clip for recording in recordings(hold.study_id, withdrawn=True) if recording.is_withdrawn}
    mine = [clip for clip in hold.clips.values_list("clip_id", flat=True) if clip in out]
    return changes.restore(clips=mine, now=now)

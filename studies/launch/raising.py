"""Raise the number of ratings wanted during collection."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid
from studies.definition.models import Study, StudyVersion
from studies.definition.queries import newest
from studies.launch import states

FIELD = "protocol.ratings_wanted"


@transaction.atomic
def raise_ratings(*, study: Study, wanted: int, now: datetime) -> StudyVersion:
    """Publish a version that only has more ratings wanted.

    Raise `Conflict` if the draft has other changes, which need a deliberate publication; `Invalid` if the number is not
    higher.
    """
    study.refresh_from_db(from_queryset=Study.objects.select_for_update(no_key=True))
    version = newest(study)
    if version is None or study.state not in {Study.State.LIVE, Study.State.PAUSED}:
        raise Conflict(_("Only a live or paused study can collect more ratings."), code="wrong_state")
    if states.has_changes(study, version):
        message = _(
            "The draft has other changes that are not published yet. Publish or undo them under Check & launch, "
            "then raise the number."
        )
        raise Conflict(message, code="draft_changed")
    before = study.definition.protocol.ratings_wanted
    if wanted <= before:
        message = _("Each clip wants {n} ratings already. Enter a higher number.").format(n=before)
        raise Invalid(message, {FIELD: message})
    states.change_settings(study=study, changes={FIELD: wanted})
    return states.publish(study=study, now=now)

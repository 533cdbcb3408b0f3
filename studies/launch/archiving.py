"""Archive studies: lists leave them out, and nothing of them is lost."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Conflict
from studies.launch import states

if TYPE_CHECKING:
    from studies.definition.models import Study


@transaction.atomic
def archive(*, study: Study, now: datetime) -> Study:
    """Archive a draft or a closed study; raises `Conflict` for others."""
    if study.pilot_of_id is not None:
        raise Conflict(_("A pilot is archived with its study."), code="is_pilot")
    states.lock(study)
    otherwise = _("Only a draft or a closed study can be archived. Close the study first.")
    states.expect(study, states.State.DRAFT, states.State.CLOSED, otherwise=otherwise)
    if study.archived_at is None:
        study.archived_at = now
        study.save(update_fields=["archived_at"])
    return study


@transaction.atomic
def unarchive(*, study: Study) -> Study:
    """Put an archived study back into the lists; no effect on others."""
    states.lock(study)
    study.archived_at = None
    study.save(update_fields=["archived_at"])
    return study

"""Say which of the platform's studies send their people here."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from core import jobs
from core.errors import Conflict, Invalid
from raters.payments.models import PaymentList, PlatformStudy
from raters.people.models import Session
from raters.sources.base import ID
from raters.sources.client import configured

if TYPE_CHECKING:
    from accounts.models import User


@transaction.atomic
def link(*, study_id: int, ext_study: str, by: User, now: datetime) -> PlatformStudy:
    """Name a study at Prolific; the same again changes nothing. Raises `Conflict` when another study here has it."""
    name = ext_study.strip()
    if not ID.fullmatch(name) or len(name) > 64:
        message = _("Copy the study's id from its address at Prolific: letters and digits alone.")
        raise Invalid(message, {"ext_study": message})
    if not PlatformStudy.objects.filter(source="prolific", ext_study=name).exists():
        _refuse_elsewhere(study_id, name)
    # With a token the first reading begins at once; without, lists are uploaded.
    begins = jobs.QUEUED if configured.is_configured() else jobs.DONE
    row, _created = PlatformStudy.objects.get_or_create(
        source="prolific",
        ext_study=name,
        defaults={
            "study_id": study_id,
            "added_at": now,
            "added_by": by,
            "state": begins,
            "queued_at": now,
            "ended_at": now,
        },
    )
    if row.study_id != study_id:
        raise Conflict(_("Another study here is linked with that one at Prolific."), code="linked_elsewhere")
    return row


def _refuse_elsewhere(study_id: int, name: str) -> None:
    """Raise `Conflict` when its people came to another study here; addresses are not signed, so that most count."""
    came = Session.objects.filter(source="prolific", ext_study=name, simulated=False)
    if came.exclude(study=study_id).count() > came.filter(study=study_id).count():
        raise Conflict(_("People came from that study at Prolific to another study here."), code="linked_elsewhere")


@transaction.atomic
def unlink(*, platform: PlatformStudy) -> None:
    """Forget a platform's study and its submissions; raises `Conflict` once anything was decided by way of it."""
    if PaymentList.objects.filter(platform=platform, confirmed_at__isnull=False).exists():
        raise Conflict(_("Payments were carried out by way of this study, and are kept on record."), code="paid")
    PaymentList.objects.filter(platform=platform).delete()
    platform.delete()

"""Accept findings as part of the comparison, and undo it; both are kept with user and time."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Conflict
from studies.audit import queries
from studies.audit.findings import AuditFinding, findings
from studies.audit.models import AcceptedFinding
from studies.definition.models import Study

if TYPE_CHECKING:
    from accounts.users.models import User


def accept(*, study: Study, key: str, user: User | None, now: datetime) -> AcceptedFinding:
    """Accept an open finding; raise `Conflict` if there is none with this key. Accepting twice has no effect."""
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        found = _open(study, key)
        return found.accepted or AcceptedFinding.objects.create(
            study=study, key=key, text=found.text, accepted_by=user, accepted_at=now
        )


def revoke(*, study: Study, key: str, user: User | None, now: datetime) -> bool:
    """Undo an acceptance; return False if there was none."""
    rows = AcceptedFinding.objects.filter(study=study, key=key, revoked_at=None)
    return bool(rows.update(revoked_at=now, revoked_by=user))


def _open(study: Study, key: str) -> AuditFinding:
    for found in findings(study, queries.clips(study)):
        if found.key == key and not found.is_blocking:
            return found
    raise Conflict(_("This finding is gone: the clips changed meanwhile. Look at the audit again."), code="gone")

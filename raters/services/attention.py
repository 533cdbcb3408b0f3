"""Note how somebody answered an attention check of the kind that platforms call fair."""

from __future__ import annotations

from datetime import datetime

from raters.models import FairCheck


def note(
    *, session_id: int, kind: FairCheck.Kind, block: str, asked: str, answered: str, passed: bool, now: datetime
) -> FairCheck:
    """Keep one check; several questions of one block are one check, failed when any of them is.

    For instructions to answer in a certain way and for nonsensical items alone: never for traps, golden questions,
    headphone tests or comprehension questions, by which nobody may be rejected.
    """
    given = {"kind": kind, "asked": asked[:500], "answered": answered[:500], "passed": passed, "at": now}
    found, is_new = FairCheck.objects.get_or_create(session_id=session_id, block=block, defaults=given)
    if not is_new and found.passed and not passed:
        FairCheck.objects.filter(pk=found.pk, passed=True).update(**given)
        found.refresh_from_db()
    return found

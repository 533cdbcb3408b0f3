"""Tell an account's owner, when they next sign in, that their name was tried with wrong passwords."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import F

from accounts.users.models import User, WrongPasswords

# Fewer are probably the owner's own typing errors.
WORTH_TELLING = 3


@transaction.atomic
def note_wrong_password(*, username: str, now: datetime) -> None:
    """Count a wrong password; unknown names are not counted."""
    for user in User.objects.filter(username=username):
        row, _made = WrongPasswords.objects.get_or_create(user=user, defaults={"last_at": now})
        WrongPasswords.objects.filter(pk=row.pk).update(number=F("number") + 1, last_at=now)


@transaction.atomic
def take_notice(*, user: User) -> WrongPasswords | None:
    """Return the warning for the owner and reset the count; None for too few wrong passwords."""
    row = WrongPasswords.objects.select_for_update().filter(user=user).first()
    if row is None:
        return None
    WrongPasswords.objects.filter(pk=row.pk).delete()
    return row if row.number >= WORTH_TELLING else None

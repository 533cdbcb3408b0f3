"""Idempotency: a request that creates something, sent twice, creates it once."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.api.models import Creation
from core.errors import Conflict

# A request that began this long ago and made nothing has failed.
LONGEST = timedelta(minutes=15)


def digest_of(*parts: Any) -> str:
    """Return a hash; requests with the same hash are the same."""
    canonical = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode("utf-8", "backslashreplace")).hexdigest()


@transaction.atomic
def begin(*, user_id: int, key: str, digest: str, now: datetime) -> str:
    """Return the name that an earlier request with this key created; if empty, the caller creates it and calls
    `finish`.

    In a transaction around all three, a second request with the same key waits for the first. Raises `Conflict` if the
    key belongs to another request, or to one that is still in progress.
    """
    row, is_new = Creation.objects.get_or_create(user_id=user_id, key=key, defaults={"digest": digest, "at": now})
    if is_new:
        return ""
    if row.digest != digest:
        raise Conflict(_("This was sent before with another content; nothing was changed."), code="key_reused")
    if row.made:
        return row.made
    is_ours = Creation.objects.filter(pk=row.pk, made="", at=row.at, at__lt=now - LONGEST).update(at=now)
    if not is_ours:
        raise Conflict(_("The same request is under way. Ask again in a moment."), code="in_progress")
    return ""


def finish(*, user_id: int, key: str, made: str) -> None:
    """Store the name of what was created."""
    Creation.objects.filter(user_id=user_id, key=key).update(made=made)


def forget(*, user_id: int, key: str) -> None:
    """Release the key: nothing was created."""
    Creation.objects.filter(user_id=user_id, key=key, made="").delete()


def forget_made(made: str) -> None:
    """Forget the requests that created this: after its deletion, the same name may be used again."""
    Creation.objects.filter(made=made).delete()


def digest_of_file(file: Any) -> str:
    """Return the hash of an uploaded file; rewind it."""
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()

"""Personal links for raters."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction

from core import rng
from raters.sources.invite import digest, personal
from raters.sources.models import Invite

if TYPE_CHECKING:
    from accounts.users.models import User


@transaction.atomic
def create_links(
    *, study_id: int, slug: str, number: int, label: str, by: User | None, now: datetime
) -> list[tuple[int, str]]:
    """Create links; return (number, link) for each. The links can't be read again later."""
    tokens = [rng.token() for _ in range(number)]
    rows = [
        Invite(study_id=study_id, token_sha256=digest(token), label=label, made_by=by, made_at=now) for token in tokens
    ]
    created = Invite.objects.bulk_create(rows)
    return [(row.pk, personal(settings.BASE_URL, slug, token)) for row, token in zip(created, tokens, strict=True)]


@transaction.atomic
def take_back(*, ids: Collection[int], now: datetime) -> int:
    """Revoke these links; return their number. Sessions that have started continue."""
    return Invite.objects.filter(pk__in=ids, revoked_at=None).update(revoked_at=now)

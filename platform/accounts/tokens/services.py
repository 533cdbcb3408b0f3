"""Create, find and revoke tokens, and note when they are used."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.tokens.models import SCOPES, ApiToken
from core.errors import Invalid

if TYPE_CHECKING:
    from accounts.users.models import User

# So that people and scanners for leaked secrets recognise one.
START = "esh_"
USE_NOTED = timedelta(minutes=1)
SHOWN = len(START) + 6


def digest_of(secret: str) -> str:
    """Return the stored hash of a token. A token has 256 random bits, so a plain hash can't be searched."""
    return hashlib.sha256(secret.encode()).hexdigest()


def by_secret(secret: str) -> ApiToken | None:
    """Return the row of this token with its owner, also if it is no longer valid."""
    if not secret.startswith(START):
        return None
    return ApiToken.objects.select_related("owner").filter(digest=digest_of(secret)).first()


@transaction.atomic
def create(
    *, owner: User, name: str, scopes: Collection[str], now: datetime, expires_at: datetime | None = None
) -> tuple[ApiToken, str]:
    """Return a new token's row and the token itself, which can't be read again; raises `Invalid`."""
    problems = {}
    if not 0 < len(name.strip()) <= 100:
        problems["name"] = _("Give it a name of at most 100 characters.")
    if not scopes or not set(scopes) <= set(SCOPES):
        problems["scopes"] = _("Choose at least one of these scopes: {known}.").format(known=", ".join(SCOPES))
    if expires_at is not None and expires_at <= now:
        problems["expires_at"] = _("Choose a moment in the future, or none.")
    if problems:
        raise Invalid(" ".join(problems.values()), problems)
    secret = START + secrets.token_urlsafe(32)
    row = ApiToken.objects.create(
        owner=owner,
        name=name.strip(),
        prefix=secret[:SHOWN],
        digest=digest_of(secret),
        scopes=[scope for scope in SCOPES if scope in scopes],
        created_at=now,
        expires_at=expires_at,
    )
    return row, secret


def note_use(*, token: ApiToken, now: datetime) -> None:
    """Store the time of use, at most once a minute: reading should rarely write."""
    if token.last_used_at is None or now - token.last_used_at >= USE_NOTED:
        unnoted = Q(last_used_at=None) | Q(last_used_at__lte=now - USE_NOTED)
        ApiToken.objects.filter(unnoted, pk=token.pk).update(last_used_at=now)


def revoke(*, token: ApiToken, now: datetime) -> bool:
    """Revoke a token from the next request on; False if it was revoked already."""
    return bool(ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now))

"""Find the token that a program sent."""

from __future__ import annotations

import hashlib

from accounts.models import ApiToken

# So that people, and programs that search for leaked secrets, know one when they see it.
START = "esh_"


def digest_of(secret: str) -> str:
    """Return what is kept of a token; it holds 256 random bits, so that a plain hash can't be searched."""
    return hashlib.sha256(secret.encode()).hexdigest()


def by_secret(secret: str) -> ApiToken | None:
    """Return the row of this token with its owner, whether it is still good or not."""
    if not secret.startswith(START):
        return None
    return ApiToken.objects.select_related("owner").filter(digest=digest_of(secret)).first()

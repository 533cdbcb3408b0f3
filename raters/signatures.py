"""Links signed by the platform they come from: RS256 tokens that hold for a few minutes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from core.errors import Invalid

ALGORITHM = "RS256"
# Clocks differ a little.
SKEW = timedelta(seconds=60)
DEMANDED = ["exp", "sub", "aud"]


def read(token: str, *, key: Callable[[str], Mapping[str, Any] | None], audience: str, now: datetime) -> dict[str, Any]:
    """Return what a signed token says; raises `Invalid` with code bad_signature or expired.

    `key` returns the public key of a name. The token never chooses its own algorithm, and it must be meant for the
    page `audience` or for that page's origin.
    """
    import jwt

    try:
        name = jwt.get_unverified_header(token).get("kid")
        public = key(str(name)) if name else None
        if public is None or public.get("kty") != "RSA":
            raise Invalid(_("The link is signed with a key that nobody knows."), code="bad_signature")
        claims: dict[str, Any] = jwt.decode(
            token,
            jwt.PyJWK.from_dict(dict(public), algorithm=ALGORITHM),
            algorithms=[ALGORITHM],
            # Times and audience are looked at below: by the caller's clock, and by origin or page.
            options={
                "require": DEMANDED,
                "verify_exp": False,
                "verify_iat": False,
                "verify_nbf": False,
                "verify_aud": False,
            },
        )
        until = datetime.fromtimestamp(float(claims["exp"]), tz=now.tzinfo)
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError):
        raise Invalid(_("The link's signature is wrong."), code="bad_signature") from None
    if not _is_meant_for(claims["aud"], audience):
        raise Invalid(_("The link was signed for another site."), code="bad_signature")
    if now > until + SKEW:
        raise Invalid(_("This link has run out."), code="expired")
    return claims


def _is_meant_for(told: Any, audience: str) -> bool:
    """Return whether one of the audiences is this page or its origin."""
    page = urlsplit(audience)
    for each in told if isinstance(told, list) else [told]:
        named = urlsplit(str(each))
        same_origin = (named.scheme, named.netloc.lower()) == (page.scheme, page.netloc.lower())
        if same_origin and named.path.rstrip("/") in ("", page.path.rstrip("/")):
            return True
    return False

"""Signed links (RS256 tokens valid for a few minutes), and the platforms' public keys."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.db import IntegrityError
from django.utils.translation import gettext as _

from core.errors import Invalid
from raters import sources
from raters.sources.models import KeySet

ALGORITHM = "RS256"
# Clocks differ slightly.
SKEW = timedelta(seconds=60)
DEMANDED = ["exp", "sub", "aud"]


def read(token: str, *, key: Callable[[str], Mapping[str, Any] | None], audience: str, now: datetime) -> dict[str, Any]:
    """Verify a token and return its claims; raises `Invalid` with code bad_signature or expired.

    `key` returns the public key with a name. The token can't choose its algorithm; its audience must be the page
    `audience` or that page's origin.
    """
    import jwt

    try:
        name = jwt.get_unverified_header(token).get("kid")
        public = key(str(name)) if name else None
        if public is None or public.get("kty") != "RSA":
            raise Invalid(_("The link is signed with an unknown key."), code="bad_signature")
        claims: dict[str, Any] = jwt.decode(
            token,
            jwt.PyJWK.from_dict(dict(public), algorithm=ALGORITHM),
            algorithms=[ALGORITHM],
            # Checked below: the time by the caller's clock, the audience by origin or page.
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
        raise Invalid(_("The link’s signature is wrong."), code="bad_signature") from None
    if not _is_meant_for(claims["aud"], audience):
        raise Invalid(_("The link was signed for another site."), code="bad_signature")
    if now > until + SKEW:
        raise Invalid(_("This link has expired."), code="expired")
    return claims


def _is_meant_for(audiences: Any, audience: str) -> bool:
    """True if one of the audiences is this page or its origin."""
    page = urlsplit(audience)
    for each in audiences if isinstance(audiences, list) else [audiences]:
        address = urlsplit(str(each))
        same_origin = (address.scheme, address.netloc.lower()) == (page.scheme, page.netloc.lower())
        if same_origin and address.path.rstrip("/") in ("", page.path.rstrip("/")):
            return True
    return False


OLD = timedelta(days=1)
# Limits requests caused by invented key names.
PATIENCE = timedelta(minutes=1)
SECONDS = 3.0
LARGEST = 100_000

logger = logging.getLogger(__name__)


def key(name: str, *, url: str, now: datetime) -> Mapping[str, Any] | None:
    """Return the public key with this name at a URL; an unknown name triggers one fetch."""
    if not url:
        return None
    public_key = _named(KeySet.objects.filter(url=url).first(), name)
    if public_key is None and refresh(url=url, now=now):
        public_key = _named(KeySet.objects.filter(url=url).first(), name)
    return public_key


def _named(keys: KeySet | None, name: str) -> Mapping[str, Any] | None:
    return next((each for each in keys.keys if each.get("kid") == name), None) if keys else None


def refresh(*, url: str, now: datetime) -> bool:
    """Fetch the keys unless tried recently; return whether that succeeded. Call it outside transactions."""
    if not _take_turn(url, now):
        return False
    try:
        keys = _read(url)
    except (OSError, ValueError) as error:
        logger.warning("The keys at %s could not be read: %s", url, error)
        return False
    KeySet.objects.filter(url=url).update(keys=keys, fetched_at=now)
    return True


def refresh_old(*, now: datetime) -> None:
    """Fetch keys older than a day, so that revoked ones stop working."""
    urls = [source.keys_url for source in sources.offered() if source.keys_url]
    for url in KeySet.objects.filter(url__in=urls, fetched_at__lt=now - OLD).values_list("url", flat=True):
        refresh(url=url, now=now)


def _take_turn(url: str, now: datetime) -> bool:
    """True if this process should fetch now; others skip."""
    if KeySet.objects.filter(url=url, tried_at__lt=now - PATIENCE).update(tried_at=now):
        return True
    try:
        _row, is_new = KeySet.objects.get_or_create(url=url, defaults={"tried_at": now})
    except IntegrityError:
        return False
    return is_new


def _read(url: str) -> list[dict[str, Any]]:
    """Return the signing keys at a URL or in a file; raises `OSError` or `ValueError`."""
    content = _fetch(url) if url.startswith("https://") else Path(url).read_bytes()
    if len(content) > LARGEST:
        raise ValueError("not a set of keys")
    document = json.loads(content)
    keys = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(keys, list):
        raise ValueError("not a set of keys")
    return [each for each in keys if isinstance(each, dict) and each.get("kty") == "RSA" and each.get("kid")]


def _fetch(url: str) -> bytes:
    import httpx

    try:
        return httpx.get(url, timeout=SECONDS, follow_redirects=False).raise_for_status().content
    except httpx.HTTPError as error:
        raise OSError(str(error)) from error

"""Encrypt names so that only this server can read them, and hash them with a key to look them up.

The first of `settings.IDENTITY_KEYS` encrypts; the others still decrypt older values.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64encode
from functools import lru_cache
from typing import TYPE_CHECKING

from django.conf import settings

from core.errors import DomainError

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet


class Unreadable(DomainError):
    """A text encrypted with a key that this server doesn't have."""


def seal(text: str) -> str:
    """Encrypt a text; the result differs each time."""
    return _fernet(tuple(settings.IDENTITY_KEYS)).encrypt(text.encode()).decode()


def opened(sealed: str) -> str:
    """Decrypt what `seal` made; raises `Unreadable`."""
    from cryptography.fernet import InvalidToken

    try:
        return _fernet(tuple(settings.IDENTITY_KEYS)).decrypt(sealed.encode()).decode()
    except InvalidToken as error:
        raise Unreadable(
            "This was encrypted with another key: name that one, too, in EARSHOT_IDENTITY_KEYS."
        ) from error


def digest(*parts: str) -> str:
    """Return a hash that can't be computed without the newest key, even with a list of names."""
    return _digest(settings.IDENTITY_KEYS[0], parts)


def digests(*parts: str) -> list[str]:
    """Return the hashes under which a text may be stored: one for each key, the newest first."""
    return [_digest(key, parts) for key in settings.IDENTITY_KEYS]


def _digest(key: str, parts: tuple[str, ...]) -> str:
    return hmac.new(_derived(key, "digest"), "\0".join(parts).encode(), hashlib.sha256).hexdigest()


def _derived(key: str, use: str) -> bytes:
    """Derive a key for one purpose, so that other uses of the same secret don't reveal it."""
    return hmac.new(key.encode(), f"earshot.identities.{use}".encode(), hashlib.sha256).digest()


@lru_cache(maxsize=4)
def _fernet(keys: tuple[str, ...]) -> MultiFernet:
    from cryptography.fernet import Fernet, MultiFernet

    return MultiFernet([Fernet(urlsafe_b64encode(_derived(key, "seal"))) for key in keys])

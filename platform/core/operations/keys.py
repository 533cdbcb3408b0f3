"""Compare this server's keys with those that its database was set up with.

Raters' cookies are signed with the secret key, and people are recognised by hashes under the identity keys. Two
machines with different keys would lock raters out and count one person twice, so a process with others doesn't start.
"""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction

from core.models import KeyFingerprint
from core.paths import PROGRAM

SECRET, IDENTITY = "secret", "identity"
ADVICE = "Every machine of one server needs the same keys: copy the file that holds them."


def fingerprint(key: str) -> str:
    """Return a hash of a key that doesn't reveal the key."""
    return hashlib.sha256(f"earshot key fingerprint\n{key}".encode()).hexdigest()


def wrong() -> list[str]:
    """Return a sentence for each key that doesn't match this database; a new database takes the current keys."""
    sentences = []
    if _stored(SECRET, settings.SECRET_KEY) != fingerprint(settings.SECRET_KEY):
        sentences.append(
            f"EARSHOT_SECRET_KEY is not the key that this database was set up with. {ADVICE} "
            f"If you changed it on purpose, run '{PROGRAM} manage accept_keys' once: everybody has to log in again."
        )
    newest, *_ = settings.IDENTITY_KEYS
    known = _stored(IDENTITY, newest)
    if known not in map(fingerprint, settings.IDENTITY_KEYS):
        sentences.append(
            "EARSHOT_IDENTITY_KEYS lacks the key under which this database holds people's ids. "
            f"{ADVICE} To change it, name both, the newest first (docs/privacy.md)."
        )
    elif known != fingerprint(newest):
        KeyFingerprint.objects.filter(name=IDENTITY).update(digest=fingerprint(newest))
    return sentences


def require() -> None:
    """Raise `ImproperlyConfigured` if a key doesn't match this database."""
    if sentences := wrong():
        raise ImproperlyConfigured("\n".join(sentences))


def accept() -> None:
    """Store the fingerprints of the current keys in this database."""
    with transaction.atomic():
        for name, key in ((SECRET, settings.SECRET_KEY), (IDENTITY, settings.IDENTITY_KEYS[0])):
            KeyFingerprint.objects.update_or_create(name=name, defaults={"digest": fingerprint(key)})


def accept_secret() -> None:
    """Store the fingerprint of the current secret key; leave those of the identity keys."""
    KeyFingerprint.objects.update_or_create(name=SECRET, defaults={"digest": fingerprint(settings.SECRET_KEY)})


def _stored(name: str, key: str) -> str:
    row, _ = KeyFingerprint.objects.get_or_create(name=name, defaults={"digest": fingerprint(key)})
    return row.digest

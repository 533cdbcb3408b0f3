"""Random numbers: unguessable tokens, and generators that services take as an argument."""

from __future__ import annotations

import secrets
from random import Random, SystemRandom

# Stateless, so one instance is enough; making one reads random bytes.
SYSTEM = SystemRandom()


def token() -> str:
    """Return 128 random bits as 22 URL-safe characters."""
    return secrets.token_urlsafe(16)


def fresh() -> Random:
    """Return an unpredictable generator, for drawing real raters' trials."""
    return SYSTEM


def seeded(*parts: object) -> Random:
    """Return a generator that draws the same for the same parts, on every machine."""
    return Random("|".join(map(str, parts)))  # noqa: S311  (repeatable by design, never for secrets)

"""Names of sessions after the erasure of their platform ids."""

from __future__ import annotations

from core import sealing


def tombstone(source: str, study: str, session: str) -> str:
    """Return the name of an erased session: a keyed hash of its ids, which can't be reversed."""
    return f"erased-{sealing.digest('session', source, study, session)[:32]}"


def tombstones(source: str, study: str, session: str) -> list[str]:
    """Return all possible names of an erased session, one for each server key."""
    return [f"erased-{digest[:32]}" for digest in sealing.digests("session", source, study, session)]

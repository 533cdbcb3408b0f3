"""What a session is called once the platform's ids of it are erased."""

from __future__ import annotations

from core import sealing


def tombstone(source: str, study: str, session: str) -> str:
    """Return what a session is called once its own name is erased: only who knows that name can find it again."""
    return f"erased-{sealing.digest('session', source, study, session)[:32]}"


def tombstones(source: str, study: str, session: str) -> list[str]:
    """Return the possible names of an erased session: one for each key of the server."""
    return [f"erased-{digest[:32]}" for digest in sealing.digests("session", source, study, session)]

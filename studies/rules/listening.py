"""The shortest listening time before an answer. The server enforces it independently of the browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

GRACE = 0.25


@dataclass(frozen=True, slots=True)
class ClipPlayback:
    """The playback of a clip: decoded duration in seconds, whether it was sent completely, and its first play."""

    seconds: float
    fetched: bool
    began: datetime | None


@dataclass(frozen=True, slots=True)
class Wait:
    """The reason why an answer can't be accepted yet, and the seconds until it can."""

    code: str
    seconds: float


def was_heard(clip: ClipPlayback, now: datetime) -> bool:
    """True if enough time has passed since the first play to hear the clip to its end."""
    return wait([clip], now) is None


def wait(clips: Sequence[ClipPlayback], now: datetime, plays: int = 1) -> Wait | None:
    """Return None once every clip was sent completely, was started, and enough time has passed to hear all `plays`.

    The clock runs from the first play. It needs the sum of the clips' durations less 0.25 s, since the server learns of
    a play slightly after its start.
    """
    needed = plays * sum(clip.seconds for clip in clips) - GRACE
    began = [clip.began for clip in clips if clip.began is not None]
    if len(began) < len(clips):
        return Wait("not_played", max(needed, 0.0))
    left = needed - (now - min(began)).total_seconds()
    if not all(clip.fetched for clip in clips):
        return Wait("not_played", max(left, 0.0))
    return Wait("too_early", left) if left > 0 else None

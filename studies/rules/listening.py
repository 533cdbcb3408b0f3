"""When an answer may be taken: the floor that the server holds, whatever a browser says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

GRACE = 0.25


@dataclass(frozen=True, slots=True)
class ClipPlayback:
    """One clip of a trial: its decoded length in seconds, whether all its bytes were sent, when it first played."""

    seconds: float
    fetched: bool
    began: datetime | None


@dataclass(frozen=True, slots=True)
class Wait:
    """Why an answer can't be taken yet, and in how many seconds it can."""

    code: str
    seconds: float


def wait(clips: Sequence[ClipPlayback], now: datetime) -> Wait | None:
    """Return None once every clip was sent whole, began to play, and enough time has passed for all of them.

    The clock runs from the first play. It needs the sum of the clips' durations less 0.25 s, since a server hears
    of a play a little after it began.
    """
    needed = sum(clip.seconds for clip in clips) - GRACE
    began = [clip.began for clip in clips if clip.began is not None]
    if len(began) < len(clips) or not all(clip.fetched for clip in clips):
        return Wait("not_played", max(needed, 0.0))
    left = needed - (now - min(began)).total_seconds()
    return Wait("too_early", left) if left > 0 else None

"""What a rater's page shows: the current trial, how far they are, and what to load ahead."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from math import ceil
from typing import Any

from raters.models import Batch, Session, TrialClip
from studies.selectors import facts

# The current trial, the next one, whose audio is loaded ahead, and the one after it.
AHEAD = 2


@dataclass(frozen=True, slots=True)
class ClipSlot:
    """A clip of a trial: its own opaque key, and what the server saw of its playback."""

    place: int
    clip: int
    key: str
    seconds: float
    fetched: bool
    began: datetime | None


@dataclass(frozen=True, slots=True)
class TrialSlot:
    """A trial of the window."""

    trial: int
    position: int
    token: str
    shown: dict[str, Any]
    served_at: datetime | None
    clips: tuple[ClipSlot, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """The first unanswered trials of a batch, in order."""

    trials: tuple[TrialSlot, ...]

    @property
    def current(self) -> TrialSlot:
        return self.trials[0]

    @property
    def following(self) -> TrialSlot | None:
        return self.trials[1] if len(self.trials) > 1 else None

    def advanced(self) -> Window:
        """Return the window once the current trial is answered."""
        return replace(self, trials=self.trials[1:])


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing more to rate."""

    tab: str


@dataclass(frozen=True, slots=True)
class Current:
    """A trial to rate, and how far the rater is."""

    tab: str
    study: str
    saved: int
    batch: int
    batches: int
    size: int
    minutes_left: int | None
    trial: TrialSlot
    ahead: tuple[ClipSlot, ...]
    max_plays: int | None
    interruption: str
    playback: str


Progress = Ended | Current


def window(batch: Batch, *, since: int = 1) -> Window:
    """Return the next trials of an open batch with their clips: one SELECT.

    `since` is the position of the current trial, where it is known.
    """
    rows = TrialClip.objects.filter(trial__batch=batch, trial__answered_at=None)
    if since > 1:
        rows = rows.filter(trial__position__range=(since, since + AHEAD))
    found = rows.order_by("trial__position", "place").values_list(
        "trial_id",
        "trial__position",
        "trial__token",
        "trial__shown",
        "trial__served_at",
        "place",
        "clip_id",
        "key",
        "clip__duration",
        "fetched_at",
        "play_began_at",
    )
    slots: dict[int, TrialSlot] = {}
    for trial, position, token, shown, served_at, place, clip, key, seconds, fetched_at, began in found:
        if trial not in slots and len(slots) > AHEAD:
            break
        slot = slots.setdefault(trial, TrialSlot(trial, position, token, shown, served_at, ()))
        heard = ClipSlot(place, clip, key, seconds, fetched_at is not None, began)
        slots[trial] = replace(slot, clips=(*slot.clips, heard))
    return Window(tuple(slots.values()))


def progress(session: Session, batch: Batch, found: Window, now: datetime) -> Current:
    """Describe the page for the window's first trial."""
    frozen = facts.frozen(session.version_id)
    protocol = frozen.protocol
    saved = (batch.number - 1) * protocol.batch_size + found.current.position - 1
    left = protocol.batches_per_session * protocol.batch_size - saved
    minutes = None
    if saved >= 3 and session.started_at is not None:
        minutes = max(1, ceil((now - session.started_at).total_seconds() / saved * left / 60))
    return Current(
        tab=session.tab,
        study=frozen.study_title,
        saved=saved,
        batch=batch.number,
        batches=protocol.batches_per_session,
        size=batch.size,
        minutes_left=minutes,
        trial=found.current,
        ahead=found.following.clips if found.following else (),
        max_plays=protocol.max_plays,
        interruption=protocol.interruption,
        playback=protocol.playback,
    )

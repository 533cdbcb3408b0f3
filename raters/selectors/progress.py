"""What a rater's page shows: the current trial, how far they are, and what to load ahead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any

from django.db.models import QuerySet

from core.prepared import Given, Select
from raters.models import TrialClip
from studies.selectors import facts, offered

# The current trial, the next one, whose audio is loaded ahead, and the one after it.
AHEAD = 2
# Seconds a clip at most, in the estimate of what is left: a night's break is no pace.
SLOWEST = 120.0
COLUMNS = (
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
    clips: Sequence[ClipSlot]


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
        return Window(self.trials[1:])


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing to rate, for now or for good: the session goes on at another page."""

    tab: str


@dataclass(frozen=True, slots=True)
class Current:
    """A trial to rate, and how far the rater is."""

    tab: str
    saved: int
    batch: int
    batches: int
    size: int
    minutes_left: int | None
    trial: TrialSlot
    ahead: Sequence[ClipSlot]
    max_plays: int | None
    interruption: str
    playback: str


Progress = Ended | Current


def _unanswered(**where: Any) -> QuerySet[TrialClip, Any]:
    open_trials = {"trial__answered_at": None, "trial__skipped_at": None}
    rows = TrialClip.objects.filter(trial__batch=Given("batch"), **open_trials, **where)
    return rows.order_by("trial__position", "place").values_list(*COLUMNS)


ALL = Select(_unanswered)
NEAR = Select(lambda: _unanswered(trial__position__gte=Given("first"), trial__position__lte=Given("last")))


def window(batch: int, *, since: int | None = None) -> Window:
    """Return the next trials of an open batch with their clips: one SELECT.

    `since` is the position of the current trial, where it is known.
    """
    found = ALL(batch=batch) if since is None else NEAR(batch=batch, first=since, last=since + AHEAD)
    slots: dict[int, TrialSlot] = {}
    clips: dict[int, list[ClipSlot]] = {}
    for trial, position, token, shown, served_at, place, clip, key, seconds, fetched_at, began in found:
        if trial not in slots:
            if len(slots) > AHEAD:
                break
            clips[trial] = []
            slots[trial] = TrialSlot(trial, position, token, shown, served_at, clips[trial])
        clips[trial].append(ClipSlot(place, clip, key, seconds, fetched_at is not None, began))
    return Window(tuple(slots.values()))


def progress(
    found: Window, *, version: int, tab: str, started_at: datetime | None, number: int, size: int, now: datetime
) -> Current:
    """Describe the page for the window's first trial: batch `number`, of `size` trials, of a session."""
    frozen = facts.frozen(version)
    protocol = frozen.protocol
    saved = (number - 1) * protocol.batch_size + found.current.position - 1
    batches = max(number, offered.batches(version, now))
    left = batches * protocol.batch_size - saved
    minutes = None
    if saved >= 3 and started_at is not None:
        pace = min((now - started_at).total_seconds() / saved, SLOWEST * len(found.current.clips))
        minutes = max(1, ceil(pace * left / 60))
    return Current(
        tab=tab,
        saved=saved,
        batch=number,
        batches=batches,
        size=size,
        minutes_left=minutes,
        trial=found.current,
        ahead=found.following.clips if found.following else (),
        max_plays=protocol.max_plays,
        interruption=protocol.interruption,
        playback=protocol.playback,
    )

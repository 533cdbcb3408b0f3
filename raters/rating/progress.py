"""State of the rating page: current trial, progress, clips to preload, and its JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from math import ceil
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.urls import reverse

from core.database.prepared import Parameter, Rows
from raters.rating.models import TrialClip
from studies.definition import facts
from studies.pool import queries as pool_queries
from studies.rules.durations import filled
from studies.rules.listening import ClipPlayback, was_heard
from studies.task_types.base import StoredPresentation

# Trials read after the current one: the next, to preload its audio, and the one after it.
AHEAD = 2
# Maximum seconds per clip in the estimate of the time left, so that breaks don't distort it.
SLOWEST = 120.0


class ClipRow(NamedTuple):
    """A clip of an unanswered trial, as read from the database."""

    trial: int
    position: int
    token: str
    shown: StoredPresentation
    served_at: datetime | None
    place: int
    clip: int
    key: str
    seconds: float
    fetched_at: datetime | None
    began: datetime | None


CLIP_COLUMNS = {
    "trial": "trial_id",
    "position": "trial__position",
    "token": "trial__token",
    "shown": "trial__shown",
    "served_at": "trial__served_at",
    "clip": "clip_id",
    "seconds": "clip__duration",
    "began": "play_began_at",
}


@dataclass(frozen=True, slots=True)
class ClipSlot:
    """A clip of a trial: its random key, its rendition's duration, and the playback seen by the server."""

    place: int
    clip: int
    key: str
    seconds: float
    fetched: bool
    began: datetime | None

    @classmethod
    def unheard(cls, place: int, clip: int, key: str, seconds: float) -> ClipSlot:
        """Return a clip of a new trial; `seconds` is the original's duration."""
        return cls(place, clip, key, filled(seconds), fetched=False, began=None)

    @property
    def playback(self) -> ClipPlayback:
        return ClipPlayback(self.seconds, self.fetched, self.began)


@dataclass(frozen=True, slots=True)
class TrialSlot:
    """A trial in the window."""

    trial: int
    position: int
    token: str
    shown: StoredPresentation
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
        """Return the window after the current trial is answered."""
        return Window(self.trials[1:])


@dataclass(frozen=True, slots=True)
class NoTrial:
    """The session has no trial to rate: it continues on another page."""

    tab: str


@dataclass(frozen=True, slots=True)
class CurrentTrial:
    """The trial to rate, and the rater's progress."""

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
    now: datetime


Progress = NoTrial | CurrentTrial


def _unanswered(**where: Any) -> QuerySet[TrialClip, Any]:
    open_trials = {"trial__answered_at": None, "trial__skipped_at": None}
    rows = TrialClip.objects.filter(trial__batch=Parameter("batch"), **open_trials, **where)
    return rows.order_by("trial__position", "place")


def _near() -> QuerySet[TrialClip, Any]:
    return _unanswered(trial__position__gte=Parameter("first"), trial__position__lte=Parameter("last"))


ALL = Rows(ClipRow, _unanswered, **CLIP_COLUMNS)
NEAR = Rows(ClipRow, _near, **CLIP_COLUMNS)


def window(batch: int, *, since: int | None = None) -> Window:
    """Return the next trials of an open batch with their clips; one SELECT.

    `since` is the position of the current trial, if known.
    """
    return in_order(ALL(batch=batch) if since is None else NEAR(batch=batch, first=since, last=since + AHEAD))


def in_order(rows: Iterable[ClipRow]) -> Window:
    """Group clips, sorted by position and place, into trials."""
    slots: dict[int, TrialSlot] = {}
    clips: dict[int, list[ClipSlot]] = {}
    for row in rows:
        if row.trial not in slots:
            if len(slots) > AHEAD:
                break
            own = clips[row.trial] = []
            slots[row.trial] = TrialSlot(row.trial, row.position, row.token, row.shown, row.served_at, own)
        fetched = row.fetched_at is not None
        clips[row.trial].append(ClipSlot(row.place, row.clip, row.key, filled(row.seconds), fetched, row.began))
    return Window(tuple(slots.values()))


def progress(
    trial_window: Window, *, version: int, tab: str, started_at: datetime | None, number: int, size: int, now: datetime
) -> CurrentTrial:
    """Return the page state for the window's first trial, in batch `number` with `size` trials."""
    frozen = facts.frozen(version)
    protocol = frozen.protocol
    trials_each = protocol.batch_size * frozen.kind.pass_count(frozen.params)
    saved = (number - 1) * trials_each + trial_window.current.position - 1
    batches = max(number, pool_queries.batches(version, now))
    clips_left = batches * trials_each - saved
    minutes = None
    if saved >= 3 and started_at is not None:
        pace = min((now - started_at).total_seconds() / saved, SLOWEST * len(trial_window.current.clips))
        minutes = max(1, ceil(pace * clips_left / 60))
    return CurrentTrial(
        tab=tab,
        saved=saved,
        batch=number,
        batches=batches,
        size=size,
        minutes_left=minutes,
        trial=trial_window.current,
        ahead=trial_window.following.clips if trial_window.following else (),
        max_plays=protocol.max_plays,
        interruption=protocol.interruption,
        playback=protocol.playback,
        now=now,
    )


def as_json(progress: Progress, slug: str) -> dict[str, Any]:
    """Return the page state as JSON, without data that could identify clips; only a single clip has a duration.

    The duration is the rendition's, because the original's would reveal the system. With several clips it is omitted,
    because the hidden reference is as long as the shown one.
    """
    if isinstance(progress, NoTrial):
        return {"state": "ended", "tab": progress.tab}

    def address(clip: ClipSlot) -> str:
        return _audio(slug) + clip.key

    trial = progress.trial
    seconds = {"seconds": round(trial.clips[0].seconds, 2)} if len(trial.clips) == 1 else {}
    return {
        "state": "trial",
        "tab": progress.tab,
        "saved": progress.saved,
        "set": progress.batch,
        "sets": progress.batches,
        "position": trial.position,
        "size": progress.size,
        "minutes_left": progress.minutes_left,
        "trial": {
            "token": trial.token,
            "shown": trial.shown["public"],
            "clips": [
                {"key": clip.key, "url": address(clip), "heard": was_heard(clip.playback, progress.now)} | seconds
                for clip in trial.clips
            ],
            "max_plays": progress.max_plays,
            "interruption": progress.interruption,
            "playback": progress.playback,
        },
        "next": [{"url": address(clip)} for clip in progress.ahead],
    }


@lru_cache(maxsize=256)
def _audio(slug: str) -> str:
    """Return the common prefix of a study's clip URLs; cached, because every response has three."""
    return reverse("raters:audio", args=[slug, "0"]).removesuffix("0")

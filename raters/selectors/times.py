"""How long answers took: what the server saw, and what the browser reported of the playback (rule C4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from itertools import groupby
from math import isfinite
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import Count, F, OuterRef, Subquery

from core.paging import keys
from raters.models import TrialClip
from raters.selectors import monitor

SESSIONS = 500


class Took(NamedTuple):
    """Seconds that a usable answer took for one of its clips; NaN where the server does not know."""

    clip: int
    response: float
    decision: float


def took(study_id: int, simulated: bool | None, versions: monitor.Versions = None) -> Iterator[Took]:
    """Yield the times of each clip of each usable test answer; those of a screen are divided by its clips."""
    for sessions in keys(monitor.sessions_of(study_id, simulated, versions), SESSIONS):
        rows = TrialClip.objects.filter(
            trial__batch__session__in=sessions, trial__usable=True, trial__item__role="test"
        ).order_by("trial_id", "place")
        found = list(
            rows.values(
                "trial_id",
                "clip_id",
                "key",
                "play_began_at",
                served_at=F("trial__served_at"),
                answered_at=F("trial__answered_at"),
                seconds=F("clip__duration"),
                evidence=F("trial__answer__evidence"),
            )
        )
        for _, trial in groupby(found, key=itemgetter("trial_id")):
            # A clip that stands twice on a screen is one clip.
            clips = {row["clip_id"]: row for row in trial}
            for clip, row in clips.items():
                yield Took(clip, *(nan_or(seconds, len(clips)) for seconds in (response(row), decision(row))))


def nan_or(seconds: float | None, clips: int) -> float:
    """Return a clip's share of these seconds; NaN when they are not known."""
    return float("nan") if seconds is None else seconds / clips


def clips_heard(trial: str) -> Subquery:
    """Return the number of different clips of a trial, as a column."""
    rows = TrialClip.objects.filter(trial=OuterRef(trial)).order_by().values("trial")
    return Subquery(rows.annotate(number=Count("clip", distinct=True)).values("number"))


def response(row: Mapping[str, Any]) -> float | None:
    """Return the seconds from trial shown to answer."""
    return between(row["served_at"], row["answered_at"])


def decision(row: Mapping[str, Any]) -> float | None:
    """Return the seconds between the end of the first full play and the answer.

    The browser knows when that play ended, pauses and reloads included, and reports the time since. It is believed
    up to what the server saw: the play can't have ended before the clip's own length had passed. Without a report,
    the server's figure stands.
    """
    began, answered = row["play_began_at"], row["answered_at"]
    if began is None or answered is None or row["seconds"] is None:
        return None
    most = between(began + timedelta(seconds=row["seconds"]), answered)
    since = reported(row, "since_end")
    return None if most is None else max(0.0, most if since is None else min(since, most))


def between(start: datetime | None, end: datetime | None) -> float | None:
    """Return the time between two moments, to the millisecond."""
    return None if start is None or end is None else round((end - start).total_seconds(), 3)


def reported(row: Mapping[str, Any], name: str) -> float | None:
    """Return a number that the browser sent about this clip; what is no number is left out."""
    evidence = row["evidence"]
    clips = evidence.get("clips") if isinstance(evidence, dict) else None
    about = clips.get(row["key"]) if isinstance(clips, dict) else None
    value = about.get(name) if isinstance(about, dict) else None
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value >= 0
    return float(value) if is_number and value is not None else None

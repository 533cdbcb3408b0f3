"""Scored ratings, usable or not, with positions and times (rule C4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, Exists, F, FilteredRelation, OuterRef, Q, QuerySet, Subquery
from numpy.typing import NDArray

from core.database.paging import PAGE, Stored, keys, read_json
from core.jobs import DONE
from raters.people.models import Session
from raters.rating import monitor, ratings
from raters.rating.models import Batch, Rating, TrialClip

SESSIONS = 500


class TimeColumns(NamedTuple):
    """Clips of usable answers, with response and decision times in seconds; NaN if unknown."""

    clip: NDArray[np.int64]
    response: NDArray[np.float64]
    decision: NDArray[np.float64]


def response_times(study_id: int, simulated: bool | None, versions: monitor.Versions = None) -> Iterator[TimeColumns]:
    """Yield the times of each clip of each usable test answer; a screen's times are divided by its clips."""
    stored = map(Stored, ("trial__served_at", "trial__answered_at", "play_began_at"))
    columns: Sequence[Any] = (
        "trial_id",
        "clip_id",
        *stored,
        "key",
        Stored("trial__answer__evidence"),
        "clip__duration",
    )
    for sessions in keys(monitor.sessions_of(study_id, simulated, versions), SESSIONS):
        rows = TrialClip.objects.filter(
            trial__batch__session__in=sessions, trial__usable=True, trial__item__role="test"
        ).order_by("trial_id", "place")
        if listed := list(rows.values_list(*columns)):
            yield times_of(*zip(*listed, strict=True))


def times_of(
    trial: Sequence[int],
    clip: Sequence[int],
    served: Sequence[str | None],
    answered: Sequence[str | None],
    began: Sequence[str | None],
    key: Sequence[str],
    evidence: Sequence[str | None],
    seconds: Sequence[float | None],
) -> TimeColumns:
    """Return the times of clips in trial order, equal to those of `between` and `decided`.

    Times and evidence are strings as read by `Stored`.
    """
    # A clip shown twice on a screen counts once: with its last place, at the position of its first.
    last = {pair: place for place, pair in enumerate(zip(trial, clip, strict=True))}
    at = np.fromiter(last.values(), dtype=np.int64)
    reports = (report(read_json(said), name) for said, name in zip(evidence, key, strict=True))
    since = np.array([reported(about, "since_end") for about in reports], dtype=np.float64)
    known, which = np.unique(np.array(seconds, dtype=np.float64), return_inverse=True)
    # Rounded like Python's timedelta; NaN becomes NaT.
    lengths = [timedelta(seconds=each) if each == each else "NaT" for each in known.tolist()]
    length = np.array(lengths, dtype="timedelta64[us]")[which.reshape(-1)]
    ended = moments(answered)
    most = _seconds(ended - moments(began) - length)
    decision = np.maximum(0.0, np.where(np.isnan(since), most, np.minimum(since, most)))
    _, of_trial, clips = np.unique(np.array(trial)[at], return_inverse=True, return_counts=True)
    shared = clips[of_trial.reshape(-1)]
    response = _seconds(ended - moments(served))
    return TimeColumns(np.array(clip, dtype=np.int64)[at], response[at] / shared, decision[at] / shared)


def moments(stored: Iterable[str | None]) -> NDArray[np.datetime64]:
    """Parse times of a `Stored` column."""
    return np.array([each or "NaT" for each in stored], dtype="datetime64[us]")


def _seconds(spans: NDArray[np.timedelta64]) -> NDArray[np.float64]:
    """Return seconds, rounded to milliseconds exactly as in `between`; NaN if unknown."""
    whole = spans.astype(np.int64)
    seconds = np.rint(whole / 1000) / 1000
    for at in np.flatnonzero(whole % 1000 == 500).tolist():
        seconds[at] = round(int(whole[at]) / 1_000_000, 3)
    seconds[np.isnat(spans)] = np.nan
    return seconds


def nan_or(seconds: float | None, clips: int) -> float:
    """Return a clip's share of these seconds; NaN if unknown."""
    return float("nan") if seconds is None else seconds / clips


def clips_heard(trial: str) -> Subquery:
    """Return a subquery for the number of different clips in a trial."""
    rows = TrialClip.objects.filter(trial=OuterRef(trial)).order_by().values("trial")
    return Subquery(rows.annotate(number=Count("clip", distinct=True)).values("number"))


def response(row: Mapping[str, Any]) -> float | None:
    """Return the seconds from showing the trial to the answer."""
    return between(row["served_at"], row["answered_at"])


def decision(row: Mapping[str, Any]) -> float | None:
    """Return the seconds from the end of the first full play to the answer."""
    since = reported(report(row["evidence"], row["key"]), "since_end")
    return decided(row["play_began_at"], row["answered_at"], row["seconds"], since)


def decided(
    began: datetime | None, answered: datetime | None, seconds: float | None, since: float | None
) -> float | None:
    """Return the decision time in seconds, for a clip of `seconds`.

    The browser reports the time since the end of the first full play (`since`), which accounts for pauses and reloads.
    It is limited to the server's figure, which assumes an uninterrupted play. Without a report, the server's figure is
    used.
    """
    if began is None or answered is None or seconds is None:
        return None
    most = round((answered - began - timedelta(seconds=seconds)).total_seconds(), 3)
    return max(0.0, most if since is None else min(since, most))


def between(start: datetime | None, end: datetime | None) -> float | None:
    """Return the seconds between two times, rounded to milliseconds."""
    return None if start is None or end is None else round((end - start).total_seconds(), 3)


def report(evidence: object, key: str | None) -> Mapping[str, Any]:
    """Return the browser's report on the clip with this key; empty if missing."""
    clips = evidence.get("clips") if isinstance(evidence, dict) else None
    about = clips.get(key) if isinstance(clips, dict) else None
    return about if isinstance(about, dict) else {}


def reported(about: Mapping[str, Any], name: str) -> float | None:
    """Return a finite, non-negative number from a report on a clip; otherwise None."""
    value: Any = about.get(name)
    # Not `isinstance`, because bool is an int.
    return float(value) if type(value) in (int, float) and isfinite(value) and value >= 0 else None


INCOMPLETE = "batch_incomplete"


class ScoredRating(NamedTuple):
    """One rating, and the place of its clip on the page. Times are in seconds per clip of its trial; NaN if unknown."""

    rating: int
    trial: int
    batch: int
    session: int
    rater: int
    clip: int
    place: int
    item: int
    question: int
    version: int
    position: int
    code: str
    score: float
    usable: bool
    late: bool
    surplus: bool
    simulated: bool
    reasons: str
    response: float
    decision: float


def pages(
    study_id: int, part: str, simulated: bool | None, versions: monitor.Versions = None
) -> Iterator[list[ScoredRating]]:
    """Yield pages of the ratings of a part that belong to a clip, in order of storage, without repeats.

    `versions` are keys of study versions (None: all). One SELECT per page, and four before; positions count from 1 over
    the whole session.
    """
    people = monitor.sessions_of(study_id, simulated, versions)
    who = {
        pk: (rater, version, simulated_)
        for pk, rater, version, simulated_ in people.values_list("pk", "rater_id", "version_id", "simulated")
    }
    before, is_done = _places(people)
    out = ratings.reasons(study_id)
    shares = _screens(study_id)
    for page in _read(_rows(study_id, part, simulated, versions, several=shares)):
        ratings_of_page = []
        for row in page:
            session, batch, clip = row["session_pk"], row["batch_pk"], row["clip_id"]
            rater, version, is_simulated = who[session]
            rules = ratings.rules_for(out, answer=row["trial_id"], batch=batch, session=session, rater=rater, clip=clip)
            clips = (row["clips_heard"] or 1) if shares else 1
            ratings_of_page.append(
                ScoredRating(
                    row["pk"],
                    row["trial_id"],
                    batch,
                    session,
                    rater,
                    clip,
                    row["place"] or 0,
                    row["item_pk"],
                    row["question_id"] or 0,
                    version,
                    before[batch] + row["position"],
                    row["code"],
                    row["value"],
                    row["usable"] is True,
                    row["late"],
                    row["surplus"],
                    is_simulated,
                    "|".join(rules if is_done[batch] else sorted([*rules, INCOMPLETE])),
                    nan_or(response(row), clips),
                    nan_or(decision(row), clips),
                )
            )
        yield ratings_of_page


def _places(people: QuerySet[Session]) -> tuple[dict[int, int], dict[int, bool]]:
    """Return {batch: number of earlier trials in the session} and {batch: whether it was validated}."""
    before: dict[int, int] = {}
    is_done: dict[int, bool] = {}
    last, total = None, 0
    listed = Batch.objects.filter(session__in=people).order_by("session_id", "number")
    for pk, session, size, state in listed.values_list("pk", "session_id", "size", "state"):
        total = total if session == last else 0
        before[pk], is_done[pk] = total, state == DONE
        last, total = session, total + size
    return before, is_done


def _screens(study_id: int) -> bool:
    """True if a trial plays several clips; only then must they be counted for each rating."""
    second = TrialClip.objects.filter(trial=OuterRef("trial"), place__gt=0)
    return Rating.objects.filter(Exists(second), study_id=study_id).order_by().exists()


def _rows(
    study_id: int, part: str, simulated: bool | None, versions: monitor.Versions, *, several: bool
) -> QuerySet[Any, dict[str, Any]]:
    rows: Any = ratings.of_study(study_id, simulated, versions)
    rows = rows.filter(part=part, value__isnull=False, clip__isnull=False, trial__repeat=0)
    rows = rows.annotate(heard=FilteredRelation("trial__clips", condition=Q(trial__clips__place=F("place"))))
    counted = {"clips_heard": clips_heard("trial")} if several else {}
    columns: QuerySet[Any, dict[str, Any]] = rows.values(
        "pk",
        "trial_id",
        "clip_id",
        "place",
        "question_id",
        "code",
        "value",
        **counted,
        batch_pk=F("trial__batch_id"),
        session_pk=F("trial__session_id"),
        item_pk=F("trial__item_id"),
        position=F("trial__position"),
        usable=F("trial__usable"),
        late=F("trial__late"),
        surplus=F("trial__surplus"),
        served_at=F("trial__served_at"),
        answered_at=F("trial__answered_at"),
        evidence=F("trial__answer__evidence"),
        key=F("heard__key"),
        play_began_at=F("heard__play_began_at"),
        seconds=F("clip__duration"),
    )
    return columns


def _read(rows: QuerySet[Any, dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield whole pages of rows, by ascending key."""
    ordered, last = rows.order_by("pk"), 0
    while page := list(ordered.filter(pk__gt=last)[:PAGE]):
        yield page
        last = page[-1]["pk"]

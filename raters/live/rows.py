"""The rows of some sessions, as live figures need them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from django.db.models import F, Q

from core.jobs import DONE, FAILED, QUEUED, RUNNING
from raters.people.models import Session
from raters.rating import monitor, ratings, scored
from raters.rating.models import CLOSED, EXPIRED, OPEN, Batch, Rating, Trial, TrialClip, Verdict
from studies.rules.validity import RULE

TEST = "test"
WAITING = (QUEUED, RUNNING, FAILED)


@dataclass(slots=True)
class TrialRow:
    """What a trial's rows are read with."""

    batch: int
    session: int
    rater: int
    version: int
    role: str
    pool: int | None
    usable: bool | None
    served_at: datetime | None
    answered_at: datetime | None
    is_full: bool
    is_invalid: bool


@dataclass(slots=True)
class RatingRow:
    """One rating."""

    pk: int
    trial: int
    clip: int | None
    part: str
    code: str
    value: float | None
    question: int | None
    is_golden: bool | None
    note: str


@dataclass(slots=True)
class SessionRows:
    """Sessions: counts as `monitor.flow` and `monitor.batches` have them, minutes of the complete ones, and rows."""

    sessions: Collection[int]
    counts: Counter[str]
    minutes: list[float]
    trials: Mapping[int, TrialRow]
    ratings: list[RatingRow]


def numbers(study_id: int, which: bool | None, size: int) -> list[int]:
    """Return the parts of a study: parts are the sessions of so many keys."""
    keys = monitor.sessions_of(study_id, which).order_by().values_list(F("pk") / size, flat=True)
    return sorted(keys.distinct())


def read(study_id: int, which: bool | None, keys: range) -> SessionRows:
    """Read the sessions of a study with these keys; four SELECTs."""
    people = monitor.sessions_of(study_id, which).filter(pk__gte=keys.start, pk__lt=keys.stop)
    sessions = {session.pk: session for session in people.order_by("pk")}
    batches = {batch.pk: batch for batch in Batch.objects.filter(session__in=sessions).order_by("pk")}
    trials: dict[int, TrialRow] = {}
    listed = Trial.objects.filter(batch__session__in=sessions).order_by("pk")
    columns = ("pk", "batch_id", "item__role", "pool_id", "usable", "served_at", "answered_at")
    for pk, key, role, pool, usable, served, answered in listed.values_list(*columns):
        batch = batches[key]
        session = sessions[batch.session_id]
        is_invalid = batch.state == DONE and batch.valid is False
        is_full = batch.state in ratings.FULL
        trials[pk] = TrialRow(
            key, session.pk, session.rater_id, session.version_id, role, pool, usable, served, answered,
            is_full, is_invalid,
        )  # fmt: skip
    rated = Rating.objects.filter(trial__batch__session__in=sessions).order_by("trial_id", "pk")
    named = ("pk", "trial_id", "clip_id", "part", "code", "value", "question_id", "question__golden", "note")
    rows = [RatingRow(*row) for row in rated.values_list(*named) if row[1] in trials]
    counts = _counts(sessions.values(), batches.values())
    return SessionRows(list(sessions), counts, _minutes(sessions.values()), trials, rows)


def lost_to(sessions: Collection[int], rule: str) -> int:
    """Return how many of these sessions a rule has cost."""
    active = Verdict.objects.filter(rule=rule, usable=False, revoked_at=None)
    return active.filter(session__in=sessions).values("session").distinct().count()


def times(rows: SessionRows) -> Iterator[scored.ResponseTimes]:
    """Yield as `scored.response_times` does."""
    heard = TrialClip.objects.filter(
        trial__batch__session__in=rows.sessions, trial__usable=True, trial__item__role=TEST
    )
    columns = ("trial_id", "clip_id", "key", "play_began_at", "clip__duration", "trial__answer__evidence")
    names = ("clip_id", "key", "play_began_at", "seconds", "evidence")
    ordered = heard.order_by("trial_id", "place").values_list(*columns)
    for key, of_trial in groupby(ordered, key=itemgetter(0)):
        if (trial := rows.trials.get(key)) is None:
            continue
        at = {"served_at": trial.served_at, "answered_at": trial.answered_at}
        clips = {row[1]: {**dict(zip(names, row[1:], strict=True)), **at} for row in of_trial}
        for clip, row in clips.items():
            seconds = (scored.response(row), scored.decision(row))
            yield scored.ResponseTimes(clip, *(scored.nan_or(each, len(clips)) for each in seconds))


def _counts(sessions: Collection[Session], batches: Collection[Batch]) -> Counter[str]:
    """Count as `monitor.flow` and `monitor.batches` do."""
    counts: Counter[str] = Counter(arrived=len(sessions))
    screened_out = Session.Outcome.SCREENED_OUT
    for session in sessions:
        counts["consented"] += session.consented_at is not None
        counts["started"] += session.started_at is not None
        counts["rating"] += session.step == Session.Step.RATING
        counts["complete"] += session.outcome == Session.Outcome.COMPLETE
        counts["declined"] += session.outcome == Session.Outcome.DECLINED
        counts["withdrawn"] += session.outcome == Session.Outcome.WITHDRAWN
        counts["screened_out"] += session.outcome in monitor.CHECKED_OUT
        counts["slow_line"] += session.outcome == screened_out and session.started_at is not None
    for batch in batches:
        counts["valid"] += batch.state == DONE and batch.valid is True
        counts["invalid"] += batch.state == DONE and batch.valid is False
        counts["waiting"] += batch.state in WAITING
        for state in (OPEN, EXPIRED, CLOSED):
            counts[state] += batch.state == state
    return counts


def _minutes(sessions: Collection[Session]) -> list[float]:
    complete = [each for each in sessions if each.outcome == Session.Outcome.COMPLETE]
    return [(each.ended_at - each.arrived_at).total_seconds() / 60 for each in complete if each.ended_at is not None]


def rules(batches: Collection[int], study_id: int) -> ratings.Reasons:
    """Return the rules but the traps' that exclude anything of these batches, as `ratings.reasons` does."""
    active = Verdict.objects.filter(revoked_at=None, usable=False).exclude(rule=RULE).order_by("pk")
    where = {
        "answer": active.filter(answer__trial__batch__in=batches),
        "batch": active.filter(batch__in=batches),
        "session": active.filter(session__batches__in=batches).distinct(),
        "rater": active.filter(rater__sessions__batches__in=batches).distinct(),
        "clip": active.filter(clip__study_id=study_id) if batches else active.none(),
    }
    rules_on: dict[str, dict[int, list[str]]] = {subject: {} for subject in where}
    for subject, rows in where.items():
        for key, rule in rows.values_list(f"{subject}_id", "rule"):
            rules_on[subject].setdefault(key, []).append(rule)
    return rules_on


def written(keys: Collection[int]) -> dict[int, tuple[str, str, str | None]]:
    """Return {rating: (note, code, question)}; one SELECT."""
    rows = Rating.objects.filter(pk__in=keys).values_list("pk", "note", "code", "question__prompt")
    return {pk: (note, code, prompt) for pk, note, code, prompt in rows}


def active(study_id: int, which: bool | None, now: datetime) -> int:
    """Return what `monitor.active` does, by way of the open batches, which are few however large the study."""
    moment = now - monitor.ACTIVE
    open_now = Batch.objects.filter(state=OPEN, session__study=study_id, session__step=Session.Step.RATING)
    if which is not None:
        open_now = open_now.filter(session__simulated=which)
    recent = Trial.objects.filter(Q(served_at__gte=moment) | Q(answered_at__gte=moment), batch__in=open_now)
    return recent.values("batch__session").distinct().count()

"""The rows of some sessions as tables of columns, as live figures need them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

from core.database.paging import Stored
from core.jobs import DONE
from raters.people.models import Session
from raters.rating import monitor, ratings, scored
from raters.rating.models import OPEN, Batch, Rating, Trial, Verdict
from studies.rules.validity import RULE

TEST = "test"
# In place of a key.
NONE = -1
KEY = np.int64


def _key(path: str) -> Coalesce:
    return Coalesce(path, Value(NONE))


# What is read, and as which types: of trials a row for each clip, in the order of both; of ratings by trial and key.
HEARD: dict[str, tuple[Any, Any]] = {
    "key": ("pk", KEY),
    "batch": ("batch_id", KEY),
    "rater": ("rater_id", KEY),
    "pool": (_key("pool_id"), KEY),
    "role": ("item__role", object),
    "usable": ("usable", bool),
    "clip": (_key("clips__clip_id"), KEY),
    "name": ("clips__key", object),
    "served": (Stored("served_at"), object),
    "answered": (Stored("answered_at"), object),
    "began": (Stored("clips__play_began_at"), object),
    "evidence": (Stored("answer__evidence"), object),
    "seconds": ("clips__clip__duration", object),
}
RATED: dict[str, tuple[Any, Any]] = {
    "key": ("pk", KEY),
    "trial": ("trial_id", KEY),
    "clip": (_key("clip_id"), KEY),
    "part": ("part", object),
    "code": ("code", object),
    # NaN where there is none.
    "value": ("value", np.float64),
    "question": (_key("question_id"), KEY),
    "golden": ("question__golden", bool),
    "note": ("note", object),
}
BATCH = np.dtype([("key", KEY), ("session", KEY), ("state", object), ("valid", object)])


@dataclass(slots=True)
class SessionRows:
    """Sessions: counts as `monitor` has them, and minutes of the complete ones.

    `trials` are rows of `HEARD`, the first of each trial, with `session`, `version`, and whether the batch is
    `full`, and `undone` by the traps. `at` says for each of `ratings` which trial it is of. `times` are of each clip of
    each usable test answer.
    """

    sessions: Collection[int]
    counts: Counter[str]
    minutes: list[float]
    trials: dict[str, NDArray[Any]]
    ratings: NDArray[Any]
    at: NDArray[Any]
    times: scored.TimeColumns


def numbers(study_id: int, which: bool | None, size: int) -> list[int]:
    """Return the parts of a study: parts are the sessions of so many keys."""
    keys = monitor.sessions_of(study_id, which).order_by().values_list(F("pk") / size, flat=True)
    return sorted(keys.distinct())


def read(study_id: int, which: bool | None, keys: range) -> SessionRows:
    """Read the sessions of a study with these keys; seven SELECTs."""
    people = monitor.sessions_of(study_id, which).filter(pk__gte=keys.start, pk__lt=keys.stop)
    versions = dict(people.values_list("pk", "version_id"))
    batches = Batch.objects.filter(session__in=versions)
    listed = batches.order_by("pk").values_list("pk", "session_id", "state", "valid")
    batch = np.array(list(listed), dtype=BATCH)
    heard = _table(Trial.objects.filter(batch__session__in=versions).order_by("pk", "clips__place"), HEARD)
    # Not those of batches that were opened since.
    heard = heard[np.isin(heard["batch"], batch["key"])]
    timed = heard[heard["usable"] & (heard["role"] == TEST) & (heard["clip"] != NONE)]
    first = np.append(True, heard["key"][1:] != heard["key"][:-1])[: len(heard)]
    own = batch[np.searchsorted(batch["key"], heard["batch"][first])]
    rated = _table(Rating.objects.filter(trial__batch__session__in=versions).order_by("trial_id", "pk"), RATED)
    rated = rated[np.isin(rated["trial"], heard["key"])]
    return SessionRows(
        list(versions),
        Counter(monitor.flow_of(people) | monitor.states_of(batches)),
        monitor.minutes_of(people.order_by("pk")),
        {
            **{name: heard[name][first] for name in ("key", "batch", "rater", "pool", "role", "usable")},
            "session": own["session"],
            "version": np.array([versions[key] for key in own["session"].tolist()], dtype=KEY),
            "full": np.isin(own["state"].astype(str), ratings.FULL),
            "undone": (own["state"] == DONE) & (own["valid"] == False),  # noqa: E712
        },
        rated,
        np.searchsorted(heard["key"][first], rated["trial"]),
        scored.times_of(*(timed[name].tolist() for name in TIMED)),
    )


TIMED = ("key", "clip", "served", "answered", "began", "name", "evidence", "seconds")


def _table(rows: QuerySet[Any], columns: dict[str, tuple[Any, Any]]) -> NDArray[Any]:
    """Return what is in these columns; one SELECT."""
    listed = rows.values_list(*(path for path, _type in columns.values()))
    return np.array(list(listed), dtype=[(name, type_) for name, (_path, type_) in columns.items()])


def lost_to(sessions: Collection[int], rule: str) -> int:
    """Return how many of these sessions a rule has cost."""
    active = Verdict.objects.filter(rule=rule, usable=False, revoked_at=None)
    return active.filter(session__in=sessions).values("session").distinct().count()


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

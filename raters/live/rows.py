"""Rows of some sessions as tables of columns (arrays), for live results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any

import numpy as np
from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

from core.database.keyed import ByKey
from core.database.paging import Stored
from core.jobs import DONE
from raters.people.models import Session
from raters.rating import monitor, ratings, scored
from raters.rating.models import OPEN, Answer, Batch, Rating, Trial, TrialClip, Verdict
from studies.clips import queries as clips_queries
from studies.pool import queries as pool_queries

TEST = "test"
# Stands for a null key.
NONE = -1
KEY = np.int64
# {column: (database path, type)}; the first one is the key for finding rows.
Columns = dict[str, tuple[Any, Any]]
Table = dict[str, NDArray[Any]]


def _key(path: str) -> Coalesce:
    return Coalesce(path, Value(NONE))


BATCHES: Columns = {
    "session": ("session_id", KEY),
    "key": ("pk", KEY),
    "state": ("state", object),
    "valid": (Stored("valid"), object),
}
TRIALS: Columns = {
    "batch": ("batch_id", KEY),
    "key": ("pk", KEY),
    "rater": ("rater_id", KEY),
    "item": ("item_id", KEY),
    "pool": (_key("pool_id"), KEY),
    "usable": (Stored("usable"), bool),
    "served": (Stored("served_at"), object),
    "answered": (Stored("answered_at"), object),
}
CLIPS: Columns = {
    "trial": ("trial_id", KEY),
    "clip": ("clip_id", KEY),
    "name": ("key", object),
    "began": (Stored("play_began_at"), object),
}
RATED: Columns = {
    "trial": ("trial_id", KEY),
    "key": ("pk", KEY),
    "clip": (_key("clip_id"), KEY),
    "part": ("part", object),
    "code": ("code", object),
    # NaN if null.
    "value": ("value", np.float64),
    "question": (_key("question_id"), KEY),
    "note": ("note", object),
}
ANSWERS: Columns = {"trial": ("trial_id", KEY), "evidence": (Stored("evidence"), object)}


@dataclass(slots=True)
class SessionRows:
    """Data of some sessions: counts as in `monitor`, and minutes of the completed ones.

    `trials` are rows of `TRIALS` plus `role`, `session`, `version`, `full` (the batch is full) and `undone` (the traps
    excluded it), without repeats. `ratings` are rows of `RATED` by trial and key, plus `golden`; `at` gives the index
    in `trials` for each. `times` covers each clip of each usable test answer.
    """

    sessions: Collection[int]
    counts: Counter[str]
    minutes: list[float]
    trials: Table
    ratings: Table
    at: NDArray[Any]
    times: scored.TimeColumns


def ranges(study_id: int, which: bool | None, size: int) -> Iterator[range]:
    """Yield ranges of `size` keys that together contain all sessions of a study."""
    keys = monitor.sessions_of(study_id, which).order_by().values_list(F("pk") / size, flat=True)
    return (range(number * size, (number + 1) * size) for number in sorted(keys.distinct()))


class Reader:
    """Reads the sessions of a study, one range of keys at a time.

    Each table is read along an index and joined here: the database would look up joined rows one by one.
    """

    def __init__(self, study_id: int, which: bool | None) -> None:
        self.study_id = study_id
        self.people = monitor.sessions_of(study_id, which)
        self._batches = _Rows(Batch.objects.all(), "session", BATCHES)
        self._trials = _Rows(Trial.objects.filter(repeat=0), "batch", TRIALS)
        self._clips = _Rows(TrialClip.objects.order_by("trial", "place"), "trial", CLIPS)
        self._answers = _Rows(Answer.objects.order_by("trial"), "trial", ANSWERS)
        self._rated = _Rows(Rating.objects.order_by("trial", "pk"), "trial", RATED)
        everything = {"study": study_id}
        self._roles = _Looked(pool_queries.roles(), "role", np.dtype("U20"), everything)
        self._seconds = _Looked(clips_queries.rated_clips(), "duration", np.float64, everything)
        self._golden = _Looked(clips_queries.rated_questions(), "golden", np.bool_)

    def read(self, keys: range) -> SessionRows:
        people = self.people.filter(pk__range=(keys.start, keys.stop - 1))
        versions = dict(people.order_by("pk").values_list("pk", "version_id"))
        batches = self._batches.of(np.array(list(versions), dtype=KEY))
        batches = picked(batches, np.argsort(batches["key"]))
        trials = self._trials.of(batches["key"])
        trials = picked(trials, np.argsort(trials["key"]))
        of_batches = {
            "key": batches["key"],
            "session": batches["session"],
            "version": np.array([versions[key] for key in batches["session"].tolist()], dtype=KEY),
            "full": np.isin(batches["state"].astype(str), ratings.FULL),
            "undone": (batches["state"] == DONE) & (batches["valid"] == False),  # noqa: E712
        }
        trials = {**_rows_for(trials["batch"], of_batches, "key"), **trials, "role": self._roles.of(trials["item"])}
        rated = self._rated.of(trials["key"])
        return SessionRows(
            list(versions),
            Counter(monitor.flow_of(people) | monitor.states_of(Batch.objects.filter(session__in=people))),
            monitor.minutes_of(people.order_by("pk")),
            trials,
            rated | {"golden": self._golden.of(rated["question"])},
            np.searchsorted(trials["key"], rated["trial"]),
            self._times(picked(trials, trials["usable"] & (trials["role"] == TEST))),
        )

    def _times(self, trials: Table) -> scored.TimeColumns:
        clips, answers = self._clips.of(trials["key"]), self._answers.of(trials["key"])
        # Without answers erased since.
        clips = _among(clips, "trial", answers["trial"])
        about, said = _rows_for(clips["trial"], trials, "key"), _rows_for(clips["trial"], answers, "trial")
        columns = (
            clips["trial"],
            clips["clip"],
            about["served"],
            about["answered"],
            clips["began"],
            clips["name"],
            said["evidence"],
            self._seconds.of(clips["clip"]),
        )
        return scored.times_of(*(column.tolist() for column in columns))


def picked(table: Table, which: NDArray[Any]) -> Table:
    """Select rows by a boolean mask or by indices."""
    return {name: column[which] for name, column in table.items()}


def _rows_for(keys: NDArray[Any], table: Table, name: str) -> Table:
    """Return the row for each key; `table` is sorted by `name` and has them all."""
    return picked(table, np.searchsorted(table[name], keys))


def _among(table: Table, name: str, keys: NDArray[Any]) -> Table:
    """Return the rows with one of these keys, which are sorted."""
    if not len(keys):
        return picked(table, np.zeros(len(table[name]), dtype=np.bool_))
    is_wanted = keys[np.minimum(np.searchsorted(keys, table[name]), len(keys) - 1)] == table[name]
    return table if is_wanted.all() else picked(table, is_wanted)


class _Rows:
    """Rows of a table as columns, found by their first column."""

    def __init__(self, rows: QuerySet[Any], key: str, columns: Columns) -> None:
        self.types = {name: type_ for name, (_path, type_) in columns.items()}
        self.name = next(iter(columns))
        self.rows = ByKey(rows.values_list(*(path for path, _type in columns.values())), key)

    def of(self, keys: NDArray[Any]) -> Table:
        """Return the rows with these sorted keys."""
        tables = [self.table([]), *map(self.table, self.rows.of(keys.tolist()))]
        table = {name: np.concatenate([some[name] for some in tables]) for name in self.types}
        return _among(table, self.name, keys)

    def table(self, rows: Sequence[tuple[Any, ...]]) -> Table:
        # `zip(*rows)` would create an object per row and trigger full garbage collections.
        return {
            name: np.fromiter(map(itemgetter(at), rows), type_, len(rows))
            for at, (name, type_) in enumerate(self.types.items())
        }


class _Looked:
    """A column of another table by key, cached; `everything` filters the rows to load at once."""

    def __init__(
        self, rows: QuerySet[Any], column: str, type_: Any, everything: Mapping[str, Any] | None = None
    ) -> None:
        self.rows = _Rows(rows, "pk", {"key": ("pk", KEY), "value": (Stored(column), type_)})
        self.keys, self.values = np.zeros(1, dtype=KEY), np.zeros(1, dtype=type_)
        if everything:
            self._keep(self.rows.table(list(self.rows.rows.rows.filter(**everything))))

    def of(self, keys: NDArray[Any]) -> NDArray[Any]:
        """Return the value for each key; 0, False or "" if there is none."""
        missing = keys[(self.keys[self._at(keys)] != keys) & (keys != NONE)]
        if len(missing):
            self._keep(self.rows.of(np.unique(missing)))
        at = self._at(keys)
        return np.where(self.keys[at] == keys, self.values[at], np.zeros(1, self.values.dtype))

    def _keep(self, more: Table) -> None:
        keys = np.append(self.keys, more["key"])
        order = np.argsort(keys)
        self.keys, self.values = keys[order], np.append(self.values, more["value"])[order]

    def _at(self, keys: NDArray[Any]) -> NDArray[Any]:
        return np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)


def lost_to(sessions: Collection[int], rule: str) -> int:
    """Count the sessions with an active verdict of this rule against them."""
    active = Verdict.objects.filter(rule=rule, usable=False, revoked_at=None)
    return active.filter(session__in=sessions).values("session").distinct().count()


def written(keys: Collection[int]) -> dict[int, tuple[str, str, str | None]]:
    """Return {rating: (note, code, question)}; one SELECT."""
    rows = Rating.objects.filter(pk__in=keys).values_list("pk", "note", "code", "question__prompt")
    return {pk: (note, code, prompt) for pk, note, code, prompt in rows}


def active(study_id: int, which: bool | None, now: datetime) -> int:
    """Like `monitor.active`, but starting from the open batches, which are few in a study of any size."""
    moment = now - monitor.ACTIVE
    open_now = Batch.objects.filter(state=OPEN, session__study=study_id, session__step=Session.Step.RATING)
    if which is not None:
        open_now = open_now.filter(session__simulated=which)
    recent = Trial.objects.filter(Q(served_at__gte=moment) | Q(answered_at__gte=moment), batch__in=open_now)
    return recent.values("batch__session").distinct().count()

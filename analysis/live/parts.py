"""A study's answers in parts of 256 sessions: what figures need of each, read from the tables and stored as bytes."""

from __future__ import annotations

import io
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from django.db.models import F

from analysis.live.scores import DTYPE
from analysis.sections.quality import traps
from analysis.sections.times.compute import DTYPE as TIMES
from core.jobs import DONE, FAILED, QUEUED, RUNNING
from raters.people.models import Session
from raters.rating import monitor, ratings, scored
from raters.rating.models import CLOSED, EXPIRED, OPEN, Batch, Rating, Trial, TrialClip, Verdict
from studies.definition import facts
from studies.definition.definition import Definition
from studies.rules.validity import RULE
from studies.task_types.base import AnswerRow, CodeBreakdown, TaskType

# Sessions of a part: so many that a large study has few parts, and so few that reading one again is quick.
SIZE = 256
TEST = "test"
ARRAYS = {
    "scores": DTYPE,
    "human": DTYPE,
    "times": TIMES,
    # Usable answers of a place.
    "places": np.dtype([("pool", np.int64), ("number", np.int64)]),
    # What a line of a breakdown counts on a clip, as `lines` numbers them.
    "codes": np.dtype([("line", np.int64), ("clip", np.int64), ("number", np.int64)]),
    "notes": np.dtype([("rating", np.int64), ("clip", np.int64), ("question", np.int64)]),
}
WAITING = (QUEUED, RUNNING, FAILED)
Line = tuple[str, str]


@dataclass(slots=True)
class Part:
    """Counts that add up over parts, minutes of complete sessions, and rows by name as in `ARRAYS`."""

    counts: Counter[str] = field(default_factory=Counter)
    minutes: list[float] = field(default_factory=list)
    # Of `codes`: what each number stands for, which differs from part to part.
    lines: list[Line] = field(default_factory=list)
    arrays: dict[str, Any] = field(default_factory=dict)

    @property
    def small(self) -> dict[str, Any]:
        """Return what every refresh reads, for a JSON column."""
        return {"counts": dict(sorted(self.counts.items())), "minutes": self.minutes, "lines": self.lines}

    @property
    def packed(self) -> bytes:
        """Return the rows as bytes."""
        buffer = io.BytesIO()
        for name in ARRAYS:
            np.save(buffer, self.arrays[name], allow_pickle=False)
        return buffer.getvalue()

    @classmethod
    def stored(cls, small: Mapping[str, Any], packed: bytes | None = None) -> Part:
        """Return a part as it was stored, without its rows if `packed` is None."""
        lines = [(key, code) for key, code in small["lines"]]
        part = cls(Counter(small["counts"]), list(small["minutes"]), lines)
        if packed is not None:
            buffer = io.BytesIO(packed)
            part.arrays = {name: np.load(buffer, allow_pickle=False) for name in ARRAYS}
        return part


def merged(parts: Iterable[Part]) -> Part:
    """Return several parts as one: counts are added, rows follow each other."""
    whole, numbers = Part(), dict[Line, int]()
    arrays: dict[str, list[Any]] = {name: [np.zeros(0, dtype)] for name, dtype in ARRAYS.items()}
    for part in parts:
        whole.counts.update(part.counts)
        whole.minutes += part.minutes
        own = np.array([numbers.setdefault(line, len(numbers)) for line in part.lines], dtype=np.int64)
        for name, array in part.arrays.items():
            if name == "codes" and len(array):
                array = array.copy()
                array["line"] = own[array["line"]]
            arrays[name].append(array)
    whole.lines = list(numbers)
    whole.arrays = {name: np.concatenate(some) for name, some in arrays.items()}
    return whole


def number_of(session: int) -> int:
    """Return the part that a session is in."""
    return session // SIZE


def numbers(study_id: int, which: bool | None) -> list[int]:
    """Return all parts of a study."""
    keys = monitor.sessions_of(study_id, which).order_by().values_list(F("pk") / SIZE, flat=True)
    return sorted(keys.distinct())


def read(study_id: int, which: bool | None, number: int, definition: Definition) -> Part:
    """Read one part from the tables: eleven SELECTs of 256 sessions."""
    keys = range(number * SIZE, (number + 1) * SIZE)
    people = monitor.sessions_of(study_id, which).filter(pk__gte=keys.start, pk__lt=keys.stop)
    sessions = {session.pk: session for session in people.order_by("pk")}
    batches = {batch.pk: batch for batch in Batch.objects.filter(session__in=sessions).order_by("pk")}
    part = Part(_counts(sessions.values(), batches.values()), _minutes(sessions.values()))
    return _Reader(part, study_id, definition, sessions, batches).read()


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


@dataclass(slots=True)
class _Trial:
    """What a trial's rows are read with."""

    batch: int
    role: str
    pool: int | None
    usable: bool | None
    served_at: datetime | None
    answered_at: datetime | None


@dataclass(slots=True)
class _Row:
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
class _Reader:
    """Reads the answers of a part."""

    part: Part
    study_id: int
    definition: Definition
    sessions: Mapping[int, Session]
    batches: Mapping[int, Batch]
    trials: dict[int, _Trial] = field(default_factory=dict)
    rows: list[_Row] = field(default_factory=list)

    def read(self) -> Part:
        trials = Trial.objects.filter(batch__session__in=self.sessions).order_by("pk")
        columns = ("pk", "batch_id", "item__role", "pool_id", "usable", "served_at", "answered_at")
        self.trials = {row[0]: _Trial(*row[1:]) for row in trials.values_list(*columns)}
        rows = Rating.objects.filter(trial__batch__session__in=self.sessions).order_by("trial_id", "pk")
        named = ("pk", "trial_id", "clip_id", "part", "code", "value", "question_id", "question__golden", "note")
        self.rows = [_Row(*row) for row in rows.values_list(*named)]
        counts = self.part.counts
        counts["answers"] = len(self.rows)
        counts["usable"] = sum(each.usable is True for each in self.trials.values())
        golden = [row for row in self.rows if row.part == "golden"]
        counts["golden_asked"] = len(golden)
        counts["golden_right"] = sum(row.value is not None and row.value > 0 for row in golden)
        if self.definition.kind.rule:
            lost = Verdict.objects.filter(rule=self.definition.kind.rule, usable=False, revoked_at=None)
            counts["lost"] = lost.filter(session__in=self.sessions).values("session").distinct().count()
        self._store("scores", self.scores())
        self._store("human", self.traps() if self.definition.kind.traps else ())
        self._store("times", self.times())
        places = Counter(each.pool for each in self.trials.values() if each.usable and each.pool is not None)
        self._store("places", sorted(places.items()))
        usable = [row for row in self.rows if self.is_usable_test(row)]
        self._store("codes", self.codes(usable))
        noted = [row for row in usable if row.note and not row.is_golden]
        self._store("notes", ((row.pk, row.clip, row.question or 0) for row in noted))
        return self.part

    def _store(self, name: str, rows: Iterable[Any]) -> None:
        self.part.arrays[name] = np.array([tuple(row) for row in rows], dtype=ARRAYS[name])

    def is_usable_test(self, row: _Row) -> bool:
        trial = self.trials[row.trial]
        return trial.usable is True and trial.role == TEST and row.clip is not None

    def scores(self) -> Iterator[ratings.TestScore]:
        """Yield each test rating that is usable, or would be if the traps hadn't undone its batch."""
        rules = _rules({trial.batch for trial in self.trials.values()} & self.invalid, self.study_id)
        for row in self.rows:
            trial = self.trials[row.trial]
            if row.part != self.definition.kind.score.part or row.value is None or row.clip is None:
                continue
            session = self.sessions[self.batches[trial.batch].session_id]
            on = {"answer": row.trial, "batch": trial.batch, "session": session.pk, "rater": session.rater_id}
            if trial.role == TEST and (
                trial.usable or (trial.batch in self.invalid and not ratings.rules_for(rules, **on, clip=row.clip))
            ):
                yield ratings.TestScore(session.rater_id, row.clip, row.value, trial.usable is True, row.trial)

    @property
    def invalid(self) -> set[int]:
        return {pk for pk, batch in self.batches.items() if batch.state == DONE and batch.valid is False}

    def traps(self) -> Iterator[ratings.TestScore]:
        """Count the answers to traps in every full batch, and yield the scores that human ones got."""
        counts, part = self.part.counts, self.definition.kind.score.part
        for key, rows in groupby(self.rows, key=lambda row: row.trial):
            trial = self.trials[key]
            batch = self.batches[trial.batch]
            if trial.role not in ratings.TRAPS or batch.state not in ratings.FULL:
                continue
            session, listed = self.sessions[batch.session_id], list(rows)
            frozen = facts.frozen(session.version_id)
            answer = [AnswerRow(row.part, row.code, row.value) for row in listed]
            counts[f"{trial.role}_asked"] += 1
            counts[f"{trial.role}_right"] += frozen.kind.passes(frozen.params, trial.role, answer)
            if trial.role == "trap_human":
                for row in listed:
                    if row.part == part and row.clip is not None and row.value is not None:
                        yield ratings.TestScore(session.rater_id, row.clip, row.value, True, key)

    def times(self) -> Iterator[scored.ResponseTimes]:
        """Yield as `scored.response_times` does."""
        wanted = {pk for pk, trial in self.trials.items() if trial.usable is True and trial.role == TEST}
        heard = TrialClip.objects.filter(
            trial__batch__session__in=self.sessions, trial__usable=True, trial__item__role=TEST
        )
        columns = ("trial_id", "clip_id", "key", "play_began_at", "clip__duration", "trial__answer__evidence")
        ordered = heard.order_by("trial_id", "place").values_list(*columns)
        for key, rows in groupby(ordered, key=itemgetter(0)):
            if key not in wanted:
                continue
            trial = self.trials[key]
            at = {"served_at": trial.served_at, "answered_at": trial.answered_at}
            names = ("clip_id", "key", "play_began_at", "seconds", "evidence")
            clips = {row[1]: {**dict(zip(names, row[1:], strict=True)), **at} for row in rows}
            for clip, row in clips.items():
                seconds = (scored.response(row), scored.decision(row))
                yield scored.ResponseTimes(clip, *(scored.nan_or(each, len(clips)) for each in seconds))

    def codes(self, usable: list[_Row]) -> Iterator[tuple[int, int, int]]:
        """Yield how often each line of each breakdown was given to a clip: a row once, or an answer once."""
        tallies: defaultdict[Line, Counter[int]] = defaultdict(Counter)
        for key, wanted, by_row in lines(self.definition.kind):
            seen: set[tuple[int, int | None, str]] = set()
            for row in usable:
                code = wanted(row.part, row.code)
                if code is None or (not by_row and (row.trial, row.clip, code) in seen):
                    continue
                seen.add((row.trial, row.clip, code))
                tallies[key, code][row.clip or 0] += 1
        self.part.lines = sorted(tallies)
        for number, line in enumerate(self.part.lines):
            for clip, times in sorted(tallies[line].items()):
                yield number, clip, times


Wanted = Callable[[str, str], str | None]


def lines(kind: TaskType[Any, Any]) -> Iterator[tuple[str, Wanted, bool]]:
    """Yield (key, what a row's part and code count as, whether rows are counted) of what breakdowns are made of."""
    for per in sorted({each.per for each in kind.breakdowns}):
        yield f"of {per}", partial(_any_of, per), bool(per)
    for number, each in enumerate(kind.breakdowns):
        yield f"{number}", partial(_code_of, each), bool(each.per)
        for name, several in each.merged.items():
            yield f"{number} {name}", partial(_one_of, each, set(several)), bool(each.per)


def _any_of(per: str, part: str, code: str) -> str | None:
    return "" if per in ("", part) else None


def _code_of(breakdown: CodeBreakdown, part: str, code: str) -> str | None:
    return code if part == breakdown.part else None


def _one_of(breakdown: CodeBreakdown, several: set[str], part: str, code: str) -> str | None:
    return "" if part == breakdown.part and code in several else None


def _rules(batches: Collection[int], study_id: int) -> ratings.Reasons:
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


def accuracy(counts: Mapping[str, int]) -> list[traps.Accuracy]:
    """Return how each kind of trap was answered."""
    return [
        traps.Accuracy(role, counts.get(f"{role}_asked", 0), counts.get(f"{role}_right", 0)) for role in ratings.TRAPS
    ]

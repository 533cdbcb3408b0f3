"""A study's answers in parts of 256 sessions: what figures need of each, read from the tables and stored as bytes."""

from __future__ import annotations

import io
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from analysis.live.scores import DTYPE
from analysis.sections.quality import traps
from analysis.sections.times.compute import DTYPE as TIMES
from raters.live import rows as live_rows
from raters.live.rows import RatingRow, SessionRows, TrialRow
from raters.rating import ratings
from studies.definition import facts
from studies.definition.definition import Definition
from studies.task_types.base import AnswerRow, CodeBreakdown, TaskType

# Sessions of a part: so many that a large study has few parts, and so few that reading one again is quick.
SIZE = 256
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
    return live_rows.numbers(study_id, which, SIZE)


def read(study_id: int, which: bool | None, number: int, definition: Definition) -> Part:
    """Read one part from the tables: eleven SELECTs of 256 sessions."""
    rows = live_rows.read(study_id, which, range(number * SIZE, (number + 1) * SIZE))
    part = Part(rows.counts, rows.minutes)
    counts, kind = part.counts, definition.kind
    counts["answers"] = len(rows.ratings)
    counts["usable"] = sum(trial.usable is True for trial in rows.trials.values())
    golden = [row for row in rows.ratings if row.part == "golden"]
    counts["golden_asked"] = len(golden)
    counts["golden_right"] = sum(row.value is not None and row.value > 0 for row in golden)
    if kind.rule:
        counts["lost"] = live_rows.lost_to(rows.sessions, kind.rule)
    _store(part, "scores", _scores(rows, kind.score.part, study_id))
    _store(part, "human", _traps(rows, kind.score.part, counts) if kind.traps else ())
    _store(part, "times", live_rows.times(rows))
    places = Counter(trial.pool for trial in rows.trials.values() if trial.usable and trial.pool is not None)
    _store(part, "places", sorted(places.items()))
    usable = [row for row in rows.ratings if _is_usable_test(rows.trials[row.trial], row)]
    _store(part, "codes", _codes(part, kind, usable))
    noted = [row for row in usable if row.note and not row.is_golden]
    _store(part, "notes", ((row.pk, row.clip, row.question or 0) for row in noted))
    return part


def _store(part: Part, name: str, rows: Iterable[Any]) -> None:
    part.arrays[name] = np.array([tuple(row) for row in rows], dtype=ARRAYS[name])


def _is_usable_test(trial: TrialRow, row: RatingRow) -> bool:
    return trial.usable is True and trial.role == live_rows.TEST and row.clip is not None


def _scores(rows: SessionRows, part: str, study_id: int) -> Iterator[ratings.TestScore]:
    """Yield each test rating that is usable, or would be if the traps hadn't undone its batch."""
    rules = live_rows.rules({trial.batch for trial in rows.trials.values() if trial.is_invalid}, study_id)
    for row in rows.ratings:
        trial = rows.trials[row.trial]
        if trial.role != live_rows.TEST or row.part != part or row.value is None or row.clip is None:
            continue
        on = {"answer": row.trial, "batch": trial.batch, "session": trial.session, "rater": trial.rater}
        if trial.usable or (trial.is_invalid and not ratings.rules_for(rules, **on, clip=row.clip)):
            yield ratings.TestScore(trial.rater, row.clip, row.value, trial.usable is True, row.trial)


def _traps(rows: SessionRows, part: str, counts: Counter[str]) -> Iterator[ratings.TestScore]:
    """Count the answers to traps in every full batch, and yield the scores that human ones got (rule D2)."""
    for key, of_trial in groupby(rows.ratings, key=lambda row: row.trial):
        trial, listed = rows.trials[key], list(of_trial)
        if trial.role not in ratings.TRAPS or not trial.is_full:
            continue
        frozen = facts.frozen(trial.version)
        answer = [AnswerRow(row.part, row.code, row.value) for row in listed]
        counts[f"{trial.role}_asked"] += 1
        counts[f"{trial.role}_right"] += frozen.kind.passes(frozen.params, trial.role, answer)
        if trial.role == "trap_human":
            for row in listed:
                if row.part == part and row.clip is not None and row.value is not None:
                    yield ratings.TestScore(trial.rater, row.clip, row.value, True, key)


def _codes(part: Part, kind: TaskType[Any, Any], usable: list[RatingRow]) -> Iterator[tuple[int, int, int]]:
    """Yield how often each line of each breakdown was given to a clip: a row once, or an answer once."""
    tallies: defaultdict[Line, Counter[int]] = defaultdict(Counter)
    for key, wanted, by_row in lines(kind):
        seen: set[tuple[int, int | None, str]] = set()
        for row in usable:
            code = wanted(row.part, row.code)
            if code is None or (not by_row and (row.trial, row.clip, code) in seen):
                continue
            seen.add((row.trial, row.clip, code))
            tallies[key, code][row.clip or 0] += 1
    part.lines = sorted(tallies)
    for number, line in enumerate(part.lines):
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


def accuracy(counts: Mapping[str, int]) -> list[traps.Accuracy]:
    """Return how each kind of trap was answered."""
    return [
        traps.Accuracy(role, counts.get(f"{role}_asked", 0), counts.get(f"{role}_right", 0)) for role in ratings.TRAPS
    ]

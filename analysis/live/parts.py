"""A study's answers, reduced to the input of its figures in parts of 256 sessions: all rows would not fit in memory."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from analysis.live.scores import DTYPE
from analysis.sections.quality import traps
from analysis.sections.times.compute import DTYPE as TIMES
from raters.live import rows as live_rows
from raters.live.rows import NONE, Reader, SessionRows
from raters.rating import ratings
from studies.definition import facts
from studies.definition.definition import Definition
from studies.rules.validity import RULE
from studies.task_types.base import AnswerRow, CodeBreakdown, TaskType

# Sessions per part.
SIZE = 256
ARRAYS = {
    "scores": DTYPE,
    "human": DTYPE,
    # Of tasks that compare systems: the item of each of `scores`.
    "items": np.dtype([("item", np.int64)]),
    "times": TIMES,
    # Usable answers per place.
    "places": np.dtype([("pool", np.int64), ("number", np.int64)]),
    # How often a line of a breakdown was given to a clip; `line` is an index into `lines`.
    "codes": np.dtype([("line", np.int64), ("clip", np.int64), ("number", np.int64)]),
    "notes": np.dtype([("rating", np.int64), ("clip", np.int64), ("question", np.int64)]),
}
Line = tuple[str, str]
# Subjects of verdicts, and the columns of trials with their keys.
SUBJECTS = {"answer": "key", "batch": "batch", "session": "session", "rater": "rater"}


@dataclass(slots=True)
class Part:
    """Counts that add up over parts, minutes of complete sessions, and rows by name as in `ARRAYS`."""

    counts: Counter[str] = field(default_factory=Counter)
    minutes: list[float] = field(default_factory=list)
    # The lines that `codes` refers to by index, which differ between parts.
    lines: list[Line] = field(default_factory=list)
    arrays: dict[str, Any] = field(default_factory=dict)


def merged(parts: Iterable[Part]) -> Part:
    """Merge parts: add counts, concatenate rows."""
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


def read(reader: Reader, sessions: range, definition: Definition) -> Part:
    """Read one part from the tables; about fifty SELECTs, each with an index."""
    rows = reader.read(sessions)
    trials, rated = rows.trials, rows.ratings
    part = Part(rows.counts, rows.minutes)
    counts, kind = part.counts, definition.kind
    counts["answers"] = len(rated["key"])
    counts["usable"] = int(trials["usable"].sum())
    golden = rated["part"] == "golden"
    counts["golden_asked"] = int(golden.sum())
    counts["golden_right"] = int((rated["value"][golden] > 0).sum())
    if kind.rule:
        counts["lost"] = live_rows.lost_to(rows.sessions, kind.rule)
    is_score = (rated["part"] == kind.score.part) & (rated["clip"] != NONE) & ~np.isnan(rated["value"])
    is_test = (trials["role"] == live_rows.TEST)[rows.at] & (rated["clip"] != NONE)
    usable = trials["usable"][rows.at]
    is_scored = is_score & is_test & (usable | _lost_to_traps(rows, reader.study_id))
    part.arrays["scores"] = _scores(rows, is_scored)
    if kind.contests:
        part.arrays["items"] = _table("items", trials["item"][rows.at[is_scored]])
    # Of a pair, a human trap is compared with itself.
    human = (trials["role"] == "trap_human") & trials["full"] & (kind.traps and kind.shows == "clip")
    part.arrays["human"] = _scores(rows, is_score & human[rows.at], usable=True)
    if kind.traps:
        _count_traps(rows, counts)
    part.arrays["times"] = _table("times", *rows.times)
    pools = trials["pool"][trials["usable"] & (trials["pool"] != NONE)]
    part.arrays["places"] = _table("places", *np.unique(pools, return_counts=True))
    counted = live_rows.picked(rated, is_test & usable)
    part.lines, part.arrays["codes"] = _codes(kind, counted)
    noted = live_rows.picked(counted, (counted["note"] != "") & ~counted["golden"])
    part.arrays["notes"] = _table("notes", noted["key"], noted["clip"], np.maximum(noted["question"], 0))
    return part


def _table(name: str, *columns: Any) -> Any:
    table = np.zeros(len(columns[0]), dtype=ARRAYS[name])
    for field_, column in zip(ARRAYS[name].names or (), columns, strict=True):
        table[field_] = column
    return table


def _scores(rows: SessionRows, which: Any, *, usable: bool | None = None) -> Any:
    rated, at = live_rows.picked(rows.ratings, which), rows.at[which]
    counts = rows.trials["usable"][at] if usable is None else usable
    return _table("scores", rows.trials["rater"][at], rated["clip"], rated["value"], counts, rated["trial"])


def _lost_to_traps(rows: SessionRows, study_id: int) -> Any:
    """Mark the ratings that would be usable if traps hadn't invalidated their batches."""
    trials, lost = rows.trials, rows.trials["undone"][rows.at] & ~rows.trials["usable"][rows.at]
    if not lost.any():
        return lost
    sessions = set(trials["session"][trials["undone"]].tolist())
    rules = ratings.reasons(study_id, but=RULE, sessions=sessions)
    for place in np.flatnonzero(lost).tolist():
        at = rows.at[place]
        on = {subject: int(trials[name][at]) for subject, name in SUBJECTS.items()}
        lost[place] = not ratings.rules_for(rules, **on, clip=int(rows.ratings["clip"][place]))
    return lost


def _count_traps(rows: SessionRows, counts: Counter[str]) -> None:
    """Count the answers to traps in every full batch (rule D2)."""
    trials, passes = rows.trials, cache(_passes)
    is_trap = np.isin(trials["role"].astype(str), ratings.TRAPS) & trials["full"]
    listed = np.flatnonzero(is_trap[rows.at])
    # With separate passes, a batch has several trials of a trap.
    listed = listed[np.lexsort([trials[name][rows.at[listed]] for name in ("item", "batch")])]
    at = rows.at[listed].tolist()
    columns = (rows.ratings[name][listed].tolist() for name in ("part", "code", "value"))
    items = (trials[name][at].tolist() for name in ("batch", "item"))
    for _trap, group in groupby(zip(zip(*items, strict=True), at, *columns, strict=True), key=itemgetter(0)):
        answer = list(group)
        place = answer[0][1]
        role = trials["role"][place]
        said = tuple((part, code, None if value != value else value) for *_trap, part, code, value in answer)
        is_right = passes(int(trials["version"][place]), role, said)
        counts[f"{role}_asked"] += is_right is not None
        counts[f"{role}_right"] += bool(is_right)


def _passes(version: int, role: str, answer: tuple[tuple[str, str, float | None], ...]) -> bool | None:
    """Return whether an answer passes a trap; None if the part to judge is missing."""
    frozen, rows = facts.frozen(version), [AnswerRow(*row) for row in answer]
    return frozen.kind.passes(frozen.params, role, rows) if frozen.kind.is_judged(frozen.params, rows) else None


def _codes(kind: TaskType[Any, Any], rated: Any) -> tuple[list[Line], Any]:
    """Count each line of each breakdown by clip: once per row or once per answer, depending on the breakdown."""
    numbers: dict[Line, int] = {}
    said = zip(rated["part"].tolist(), rated["code"].tolist(), strict=True)
    row = np.array([numbers.setdefault(each, len(numbers)) for each in said], dtype=np.int64)
    tallies: dict[Line, Any] = {}
    for key, wanted, by_row in lines(kind):
        of_line: defaultdict[str, list[int]] = defaultdict(list)
        for each, number in numbers.items():
            if (code := wanted(*each)) is not None:
                of_line[code].append(number)
        for code, several in of_line.items():
            which = np.isin(row, several)
            clips = rated["clip"][which]
            tallies[key, code] = np.unique(clips if by_row else _once(clips, rated["trial"][which]), return_counts=True)
    listed = sorted(tallies)
    tables = [_table("codes", np.full(len(tallies[line][0]), at), *tallies[line]) for at, line in enumerate(listed)]
    return listed, np.concatenate([_table("codes", (), (), ()), *tables])


def _once(clips: Any, trials: Any) -> Any:
    """Return the clip of each distinct (clip, trial) pair."""
    order = np.lexsort((trials, clips))
    clips, trials = clips[order], trials[order]
    is_new = np.append(True, (clips[1:] != clips[:-1]) | (trials[1:] != trials[:-1]))[: len(clips)]
    return clips[is_new]


Wanted = Callable[[str, str], str | None]


def lines(kind: TaskType[Any, Any]) -> Iterator[tuple[str, Wanted, bool]]:
    """Yield (key, function of a row's part and code that returns its line or None, whether rows are counted)."""
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
    """Return how often each kind of trap was asked and answered correctly."""
    return [
        traps.Accuracy(role, counts.get(f"{role}_asked", 0), counts.get(f"{role}_right", 0)) for role in ratings.TRAPS
    ]

"""The answers of a quick test, as differences between two folders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from analysis.data import frame
from quick.request import Kept
from studies.definition import queries as definition_queries

if TYPE_CHECKING:
    from pandas import DataFrame


class Answer(NamedTuple):
    """One listener's answer on a text: `gap` above 0 is in favour of `first`; of ABX, X was recognised.

    1, 0 and −1 of choices; the difference of two scores of ratings. `heard_first` is a folder, of preferences.
    """

    listener: int
    text: str
    first: str
    second: str
    gap: float
    heard_first: str = ""


@dataclass(frozen=True, slots=True)
class Collected:
    """Answers of complete sessions, or of all where the test was stopped; `given` counts trials, complete or not."""

    answers: tuple[Answer, ...]
    listeners: int
    complete: int
    given: int


def complete_sessions(kept: Kept) -> list[int]:
    """Return the sessions with all their answers, in the order they were completed, at most those that are wanted."""
    return _complete(_rows(kept), kept)


def collect(kept: Kept, *, is_stopped: bool) -> Collected:
    """Return the answers; if the test was `is_stopped` by hand, those of unfinished sessions too."""
    rows = _rows(kept)
    complete = _complete(rows, kept)
    counted = rows if is_stopped else rows[rows["session"].isin(complete)]
    numbers = {session: number for number, session in enumerate(dict.fromkeys(counted["session"]), start=1)}
    of = _choices if kept.request.task in ("ab", "abx") else _ratings
    return Collected(tuple(of(counted, kept, numbers)), len(numbers), len(complete), int(rows["trial"].nunique()))


def _rows(kept: Kept) -> DataFrame:
    study = definition_queries.get(kept.slug)
    rows = frame.scores(study.pk, False)
    return rows[(rows["role"] == "test").to_numpy()]


def _complete(rows: DataFrame, kept: Kept) -> list[int]:
    usable = rows[rows["usable"].to_numpy()]
    # Rows are in the order stored, so the last row of a session says when it was completed.
    sessions = reversed(dict.fromkeys(reversed(usable["session"].tolist())))
    return list(sessions)[: kept.request.raters]


def _choices(rows: DataFrame, kept: Kept, numbers: dict[int, int]) -> Iterator[Answer]:
    """Yield preferences for the system of a row; of ABX, right answers on the baseline and it."""
    is_abx = kept.request.task == "abx"
    for row in rows.to_dict("records"):
        system, other = row["system"], row.get("against", kept.folders[0])
        heard_first = "" if is_abx else system if row["is_first"] else other
        sides = (other, system) if is_abx else (system, other)
        # A tie is in the middle of the scale.
        yield Answer(numbers[row["session"]], row["text"], *sides, 2 * row["score"] - 1, heard_first)


def _ratings(rows: DataFrame, kept: Kept, numbers: dict[int, int]) -> Iterator[Answer]:
    scores: dict[tuple[int, str], dict[str, float]] = {}
    for row in rows.to_dict("records"):
        scores.setdefault((numbers[row["session"]], row["text"]), {})[row["system"]] = row["score"]
    for (listener, text), by_system in scores.items():
        for first, second in combinations([name for name in kept.folders if name in by_system], 2):
            yield Answer(listener, text, first, second, by_system[first] - by_system[second])


def pairs(answers: Sequence[Answer], folders: Sequence[str]) -> Iterator[tuple[str, str, list[Answer]]]:
    """Yield each pair of folders in their order, with its answers turned to the first."""
    for first, second in combinations(folders, 2):
        turned = [
            each if each.first == first else each._replace(first=first, second=second, gap=-each.gap)
            for each in answers
            if {each.first, each.second} == {first, second}
        ]
        if turned:
            yield first, second, turned

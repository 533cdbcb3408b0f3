"""Find the layout of file names: score each way to read their parts by what names say and how parts vary."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import product
from math import log2

from studies.imports.ingest.layouts import Layout, Level, Names, rows, split
from studies.imports.ingest.name_words import kind_of

# What a part of each kind may be, with a score: the logarithm, roughly, of how much more likely that makes a reading.
# A part that isn't listed is impossible.
SCORES: dict[str, dict[str, float]] = {
    "constant": {"ignore": 0, "text": -1},
    "people": {"system": 6},
    "role": {"role": 4, "ignore": 0},
    "system": {"system": 5, "text": -2},
    "speaker": {"speaker": 4, "text": 0, "system": -1},
    "corpus": {"text": 6},
    "text": {"text": 4},
    "take": {"take": 5, "text": 0},
    "language": {"language": 4, "system": 0},
    "condition": {"condition": 4, "text": 0, "system": -1},
    "digits": {"text": 3, "speaker": -3, "system": -6},
    "few digits": {"text": 3, "take": -0.5, "speaker": -2},
    "ids": {"speaker": 2.5, "text": 1.5},
    "letters": {"system": 2.5, "speaker": 0.5, "text": 1, "take": 0},
    "numbered": {"text": 2.5, "system": 1, "speaker": 1, "take": 0},
    "speaker or system": {"system": 0, "speaker": 3.5, "text": 2.5},
    "sentence": {"text": 4},
    "names": {"system": 2, "text": 1, "speaker": 1},
}
SEPARATORS = (("_",), ("-",), (" ",), (".",), ("__",), ("_", "-"))
# Readings this much less likely than the best are not offered; without words that tell, only a clear one counts.
MARGIN, MARGIN_OF_NAMES = 1.5, 2.5
MOST_WORDS, MOST_LEVELS, CANDIDATES, MOST_BY_STRUCTURE = 4, 4, 60, 8
# Of more values, some tell the kind.
MOST_VALUES = 500
# Of so few files, no system or speaker need have two.
FEW = 6


@dataclass(frozen=True, eq=False)
class Column:
    """One part of all names."""

    level: int
    values: Sequence[str]

    @cached_property
    def distinct(self) -> frozenset[str]:
        return frozenset(value for value in self.values if value)

    @cached_property
    def kind(self) -> str:
        step = 1 + len(self.distinct) // MOST_VALUES
        return kind_of(sorted(self.distinct)[::step]) if self.distinct else "constant"


@dataclass(frozen=True, eq=False)
class Split:
    """One way to split a level into columns."""

    columns: tuple[Column, ...]
    separators: tuple[str, ...]


def layouts_of(names: Names) -> list[Layout]:
    """Return the most likely layout, and after it others that are about as likely and give other rows."""
    if not names.rated:
        return [Layout((Level(("text",)),))]
    ways = [list(_splits(place, values)) for place, values in enumerate(names.levels[-MOST_LEVELS:])]
    likely = heapq.nlargest(CANDIDATES, _candidates(ways), key=lambda candidate: candidate[0])
    # What varies together can't make up for words that tell so much less.
    likely = [candidate for candidate in likely if candidate[0] > likely[0][0] - MOST_BY_STRUCTURE]
    count = cache(_distinct)
    scored = [(score + _structure(splits, parts, count), splits, parts) for score, splits, parts in likely]
    scored.sort(key=lambda candidate: -candidate[0])
    best, splits, parts = scored[0]
    result = [_layout(splits, parts)]
    margin = MARGIN_OF_NAMES if _is_unsure(splits, parts) else MARGIN
    others = [_layout(splits, parts) for score, splits, parts in scored[1:] if best - score < margin]
    seen = {_signature(names, result[0])} if others else set()
    for layout in others:
        if (signature := _signature(names, layout)) not in seen:
            seen.add(signature)
            result.append(layout)
    return result


def _splits(level: int, values: Sequence[str]) -> Iterator[Split]:
    yield Split((Column(level, values),), ())
    present = [value for value in values if value]
    seen = set()
    for separators in SEPARATORS:
        if not all(any(mark in value for mark in separators) for value in present):
            continue
        if any(all(mark not in value for value in present) for mark in separators):
            continue
        for number in range(2, MOST_WORDS + 1):
            columns = split(values, separators, number)
            if columns is None:
                break
            key = tuple(map(tuple, columns))
            if key not in seen:
                seen.add(key)
                yield Split(tuple(Column(level, column) for column in columns), _marks(present[0], columns, separators))


def _marks(first: str, columns: Sequence[Sequence[str]], separators: tuple[str, ...]) -> tuple[str, ...]:
    """Return what separates the parts, as the first name has it."""
    if len(separators) == 1:
        return separators * (len(columns) - 1)
    words = [next(value for value in column if value) for column in columns]
    marks, place = [], 0
    for word in words[:-1]:
        place = first.find(word, place) + len(word)
        marks.append(first[place : place + 1])
    return tuple(mark if mark in separators else separators[0] for mark in marks)


Candidate = tuple[float, tuple[Split, ...], tuple[str, ...]]


def _candidates(ways: Sequence[Sequence[Split]]) -> Iterator[Candidate]:
    """Yield each way to read the columns with the score of its words."""
    for splits in product(*ways):
        columns = [column for each in splits for column in each.columns]
        repeated = _repeated(columns)
        choices = [
            _repeating(column)
            if index in repeated
            else {"ignore": 0.5}
            if any(column.values == columns[other].values for other in repeated)
            else SCORES[column.kind]
            for index, column in enumerate(columns)
        ]
        for parts in product(*choices):
            single = [part for part in parts if part not in {"text", "ignore"}]
            if "text" not in parts or len(single) != len(set(single)):
                continue
            texts = [choices[index]["text"] for index, part in enumerate(parts) if part == "text"]
            others = sum(choices[index][part] for index, part in enumerate(parts) if part != "text")
            levels = {columns[index].level for index, part in enumerate(parts) if part == "text"}
            cost = 0.3 * parts.count("ignore") + 0.3 * (len(texts) - 1) + (len(levels) - 1) + 0.3 * len(columns)
            # Texts that have their system in their names are shared by no other.
            cost += 2 * any(parts[index] == "system" and parts[other] == "text" for index, other in repeated.items())
            yield others + sum(texts) / len(texts) - cost, splits, parts


def _repeating(column: Column) -> dict[str, float]:
    """Return what a folder may be that the name below repeats: if anything, the system, or the speaker, outermost."""
    speaker = 4.0 if column.kind == "speaker" else 2.0 if column.kind in {"digits", "ids", "numbered"} else -1.0
    system = {name: score for name, score in SCORES[column.kind].items() if name == "system"}
    return {"ignore": 0.5, "speaker": speaker - 0.3 * column.level, **system}


def _distinct(*columns: Column) -> int:
    """Count the different combinations of the columns' values."""
    return len(set(zip(*(column.values for column in columns), strict=True)))


def _repeated(columns: Sequence[Column]) -> dict[int, int]:
    """Return the columns that one of a later level repeats, and that one: the folder p225 of p225_001.wav."""
    result = {}
    for index, column in enumerate(columns):
        if column.kind == "constant" or len(column.distinct) < 2:
            continue
        later = (
            place for place, other in enumerate(columns) if other.level > column.level and _is_repeated(column, other)
        )
        if (place := next(later, None)) is not None:
            result[index] = place
    return result


@lru_cache(maxsize=256)
def _is_repeated(column: Column, other: Column) -> bool:
    return all(map(_has_word, other.values, column.values))


def _has_word(text: str, word: str) -> bool:
    return (
        text == word or (text.startswith(word) and not text[len(word)].isalnum()) or word in re.split(r"[\W_]+", text)
    )


def _structure(splits: Sequence[Split], parts: Sequence[str], count: Callable[..., int]) -> float:
    """Score how the parts vary: systems repeat, texts are shared, each cell of both is filled once."""
    columns = [column for each in splits for column in each.columns]
    by_part = {part: column for part, column in zip(parts, columns, strict=True) if part not in {"text", "ignore"}}
    texts = [column for part, column in zip(parts, columns, strict=True) if part == "text"]
    files = len(texts[0].values)
    words = [column for each in splits if len(each.columns) > 1 for column in each.columns]
    speaker, system = by_part.get("speaker"), by_part.get("system")
    spoken = [speaker, *texts] if speaker else texts
    score = 0.0
    if speaker:
        score -= 4 if FEW < files < 2 * len(speaker.distinct) else 0
        # Words of one name next to each other are rarely a voice, unless they look so.
        score -= 1 if speaker.kind == "names" and speaker in words else 0
    if not system:
        return score - (1.5 if files > 1 else 0)
    number, different, pairs = len(system.distinct), count(*spoken), count(system, *spoken)
    fill = pairs / (max(1, number) * different)
    is_apart = pairs == different
    if not is_apart:
        score += 2 * fill if fill >= 0.5 else -1
    if system.kind == "names" and system in words and (is_apart or fill < 0.8):
        score -= 3
    if FEW < files < 2 * number:
        score -= 6
    score += max(-1.5, min(1.5, log2(different / max(1, number)) / 2))
    score += 0.7 if system.level == 0 < columns[-1].level else 0
    score += 0.7 if speaker and columns.index(system) < columns.index(speaker) else 0
    if take := by_part.get("take"):
        score += 0.5 if count(system, take, *spoken) == pairs * len(take.distinct) else -2
    return score


def _is_unsure(splits: Sequence[Split], parts: Sequence[str]) -> bool:
    """True if only the places of folders tell systems from texts or speakers."""
    columns = [column for each in splits for column in each.columns]
    kinds = {column.kind for part, column in zip(parts, columns, strict=True) if part in {"system", "speaker", "text"}}
    return not kinds & {"people", "system", "text", "digits", "corpus", "sentence"}


def _layout(splits: Sequence[Split], parts: Sequence[str]) -> Layout:
    levels, start = [], 0
    for each in splits:
        end = start + len(each.columns)
        levels.append(Level(tuple(parts[start:end]), each.separators))
        start = end
    return Layout(tuple(levels))


def _signature(names: Names, layout: Layout) -> tuple[tuple[int, ...], ...]:
    """Return which clips a layout gives the same system, voice, text …, however these are called."""
    result = []
    proposed = rows(names, layout)
    for column in ("system", "voice", "text_id", "take", "condition", "role"):
        numbers: dict[str, int] = {}
        result.append(
            tuple(numbers.setdefault(row.get(column, ""), len(numbers)) if row.get(column) else -1 for row in proposed)
        )
    return tuple(result)

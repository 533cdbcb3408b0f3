"""Layouts of file names: what each folder, and each word of a name, is, written like `system/speaker_text`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from pathlib import PurePosixPath

from core.text.words import say
from studies.imports.ingest import name_words as words
from studies.imports.ingest.problems import InvalidInput

PARTS = ("system", "speaker", "text", "take", "condition", "language", "role", "ignore")
# Roles of clips that other systems have no version of.
APART = ("prompt", "trap_flawed", "trap_human", "training")
# How people write the parts of a layout, too.
ALIASES = {
    "voice": "speaker",
    "spk": "speaker",
    "model": "system",
    "utterance": "text",
    "utt": "text",
    "sentence": "text",
}


@dataclass(frozen=True, slots=True)
class Level:
    """A folder or the file name: its parts, and what separates them."""

    parts: tuple[str, ...]
    separators: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "".join(part + mark for part, mark in zip_longest(self.parts, self.separators, fillvalue=""))


@dataclass(frozen=True, slots=True)
class Layout:
    """What each level of a path is, from the outermost folder to the file name."""

    levels: tuple[Level, ...]

    def __str__(self) -> str:
        return "/".join(map(str, self.levels))


@dataclass(frozen=True)
class Name:
    """A file's folders that may tell something, its stem, and what folders say by their names only."""

    file: str
    folders: tuple[str, ...]
    stem: str
    role: str = ""
    language: str = ""


def parse(text: str) -> Layout:
    """Read a layout like `system/speaker_text`; raises `InvalidInput`."""
    levels = []
    for level in text.strip().strip("/").lower().split("/"):
        parts = tuple(ALIASES.get(part, part) for part in re.findall(r"[a-z]+", level))
        separators = tuple(re.findall(r"[^a-z]+", level))
        unknown = [part for part in parts if part not in PARTS]
        if unknown or not parts or len(separators) != len(parts) - 1:
            raise InvalidInput(
                say(
                    "“{text}” is not a layout. Write folders and words of the file name like “system/speaker_text”. "
                    "The parts are {parts}.",
                    text=text,
                    parts=", ".join(PARTS),
                )
            )
        levels.append(Level(parts, separators))
    named = [part for level in levels for part in level.parts]
    twice = [part for part in PARTS if part not in {"text", "ignore"} and named.count(part) > 1]
    if "text" not in named or twice:
        raise InvalidInput(
            say("The layout “{text}” needs the part “text”, and the other parts at most once.", text=text)
        )
    return Layout(tuple(levels))


class Names:
    """The names of all files, seen as columns of parts."""

    def __init__(self, files: Sequence[str]) -> None:
        paths = {file: _joined_traps(PurePosixPath(file).parts[:-1]) for file in files}
        # Prompts aren't rated, and are often named in another way.
        prompts = {file for file, folders in paths.items() if any(words.role_of(part) == "prompt" for part in folders)}
        rated = {file: folders for file, folders in paths.items() if file not in prompts}
        telling = _telling(list(rated.values()))
        shared = len(_common(list(rated.values())))
        self.all = [
            _name(file, folders, telling, shared if file in rated else len(folders), is_prompt=file in prompts)
            for file, folders in paths.items()
        ]
        self.rated = [name for name in self.all if not _apart(name)]
        self.shared = _common([name.folders for name in self.rated])
        self.depth = max((len(name.folders) for name in self.rated), default=0)

    @cached_property
    def levels(self) -> list[list[str]]:
        """The values of each level below the shared folders; empty where a path is shorter."""
        return self.at(self.depth - len(self.shared))

    def at(self, folders: int) -> list[list[str]]:
        """Return the values of the last levels: so many folders, and the stems."""
        skipped = max(0, self.depth - folders)
        below = [name.folders[min(skipped, len(self.shared)) :][-folders:] if folders else () for name in self.rated]
        columns = [[each[place] if place < len(each) else "" for each in below] for place in range(folders)]
        return [*columns, [name.stem for name in self.rated]]

    @property
    def is_human(self) -> bool:
        """True if a folder that all files share is named for recordings of people."""
        return any(words.SURELY_HUMAN.fullmatch(words.plain(part)) for part in self.shared)


def _apart(name: Name) -> str:
    """Return the role of prompts, traps and training clips in a folder of their own, where names differ; else empty."""
    roles = (role for role in (name.role, *map(words.role_of, name.folders)) if role in APART)
    return next(roles, "traps" if any(words.TRAPS.fullmatch(words.plain(part)) for part in name.folders) else "")


def _joined_traps(folders: Sequence[str]) -> tuple[str, ...]:
    """Return folders with traps/human as the one folder that it means."""
    result: list[str] = []
    for part in folders:
        if result and words.TRAPS.fullmatch(words.plain(result[-1])) and (role := words.trap(part)):
            result[-1] = role
        else:
            result.append(part)
    return tuple(result)


def _telling(paths: Sequence[tuple[str, ...]]) -> list[bool]:
    """Return of each place whether its folders tell more than a language or a role, or nothing at all.

    A folder below others that is the same for all files tells nothing; one above all of them may be the system.
    """
    result: list[bool] = []
    is_below = False
    for parts in zip_longest(*paths, fillvalue=""):
        different = set(parts) - {""}
        tells = not all(map(words.says_little, different))
        result.append(tells and not (is_below and len(different) == 1 and "" not in parts))
        is_below = is_below or len(different) > 1
    return result


def _name(file: str, folders: Sequence[str], telling: Sequence[bool], shared: int, *, is_prompt: bool) -> Name:
    """Take the folders out of a path that only say a role or a language; those that all files share say no role."""
    role, language, left = "prompt" if is_prompt else "", "", []
    for place, part in enumerate(folders):
        if is_prompt or not telling[place]:
            role = role or (words.role_of(part) if place >= shared else "")
            language = part.lower() if words.LANGUAGES.fullmatch(part.lower()) else language
        else:
            left.append(part)
    return Name(file, tuple(left), PurePosixPath(file).stem, role, language)


def _common(folders: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the folders that all files share, from the outermost."""
    shared = []
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return tuple(shared)


def split(
    values: Sequence[str], separators: Sequence[str], number: int, whole: int | None = None
) -> list[list[str]] | None:
    """Return so many columns of words; a value that has fewer words is in the column `whole`, or there are none.

    Where values have more words, one column takes several: the one by which all columns have the fewest values.
    """
    marks = "|".join(f"(?:{re.escape(mark)})+" for mark in sorted(set(separators), key=len, reverse=True))
    pattern = re.compile(f"({marks})")
    length = 2 * number - 1
    pieces = [pattern.split(value) if value else [""] * length for value in values]
    if any(len(each) < length for each in pieces):
        if whole is None:
            return None
        pieces = [
            each if len(each) >= length else [value if place == 2 * whole else "" for place in range(length)]
            for each, value in zip(pieces, values, strict=True)
        ]
    ways = range(number) if max(map(len, pieces)) > length else range(1)
    columns = [_absorbed(pieces, number, place) for place in ways]
    return min(columns, key=lambda way: sum(len(set(column)) for column in way))


def _absorbed(pieces: Sequence[Sequence[str]], number: int, place: int) -> list[list[str]]:
    """Divide the words into `number` columns; the column at `place` gets all surplus words."""
    columns: list[list[str]] = [[] for _ in range(number)]
    for each in pieces:
        more = len(each) - (2 * number - 1)
        for index, column in enumerate(columns):
            start = 2 * index + (more if index > place else 0)
            column.append("".join(each[start : start + 1 + (more if index == place else 0)]).strip())
    return columns


def columns_of(names: Names, layout: Layout) -> list[tuple[str, list[str]]]:
    """Return (part, values) of each part of the layout; a name that doesn't fit is the text."""
    result = []
    for level, values in zip(layout.levels, names.at(len(layout.levels) - 1), strict=True):
        number = len(level.parts)
        whole = level.parts.index("text") if "text" in level.parts else 0
        columns = split(values, level.separators, number, whole) if number > 1 else [values]
        assert columns is not None
        result += list(zip(level.parts, columns, strict=True))
    return result


def rows(names: Names, layout: Layout) -> list[dict[str, str]]:
    """Return each file's values by column of a manifest."""
    columns = columns_of(names, layout)
    values = {part: column for part, column in columns if part not in {"text", "ignore"}}
    count = len(names.rated)
    texts = [column for part, column in columns if part == "text"]
    text_ids = ["_".join(filter(None, each)) for each in zip(*texts, strict=True)]
    systems = values.get("system", [""] * count)
    speakers = values.get("speaker") or [words.speaker_in(text) for text in text_ids]
    if "speaker" in values and _is_shared(systems, speakers):
        # Each speaker has a text of each number.
        text_ids = [
            text if not speaker or text.startswith(speaker) else f"{speaker}_{text}"
            for speaker, text in zip(speakers, text_ids, strict=True)
        ]
    has_anchor = any(words.role_of(system) == "anchor" for system in set(systems))
    labels = {system: _label(system, has_anchor=has_anchor) for system in set(systems)}
    result = {}
    for index, name in enumerate(names.rated):
        system, role = labels[systems[index]]
        role = name.role or role or words.role_of(values["role"][index] if "role" in values else "") or "test"
        row = {
            "file": name.file,
            "system": system or (words.HUMAN if names.is_human and "system" not in values else ""),
            "role": role,
            "voice": speakers[index],
            "text_id": text_ids[index],
            "language": name.language or (values["language"][index] if "language" in values else ""),
        }
        if "take" in values:
            row["take"] = re.sub(r"^\D+(?=\d)", "", values["take"][index])
        if "condition" in values:
            row["condition"] = values["condition"][index]
        result[name.file] = row
    for name in names.all:
        # Which kind a bare trap is, only the researcher knows.
        role = _apart(name).removeprefix("traps")
        row = result.setdefault(name.file, {"file": name.file, "role": role, "text_id": name.stem})
        complete(row)
        result[name.file] = {
            column: row.get(column, "") for column in ("file", "system", "role", "voice", "text_id")
        } | row
    return [result[name.file] for name in names.all]


def _is_shared(systems: Sequence[str], speakers: Sequence[str]) -> bool:
    """True if speakers are the same for all systems, and not each system's own voice."""
    pairs = {(system, speaker) for system, speaker in zip(systems, speakers, strict=True) if system and speaker}
    return len({system for system, _speaker in pairs}) < 2 or len(pairs) > len({speaker for _system, speaker in pairs})


def _label(value: str, *, has_anchor: bool) -> tuple[str, str]:
    """Return the system and the role of a value in the place of the system."""
    role = words.role_of(value)
    if not role and has_anchor and re.fullmatch("(hidden)?refs?", words.plain(value)):
        role = "reference"
    if role == "anchor":
        return words.anchor(value), role
    if words.is_human(value) or role in {"reference", "trap_human"}:
        return words.HUMAN, role
    return ("flawed", role) if role == "trap_flawed" else (value, role)


def complete(row: dict[str, str]) -> None:
    """Name a clip's system by its role where nothing else tells it."""
    if row["role"] in {"trap_human", "reference", "prompt"}:
        row["system"] = words.HUMAN
    elif not row.get("system"):
        row["system"] = {"trap_flawed": "flawed", "anchor": "anchor", "training": "training"}.get(row["role"], "")

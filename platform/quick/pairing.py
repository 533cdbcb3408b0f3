"""Find the files of several folders that belong together, by their names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from pathlib import Path, PurePosixPath

from studies.imports.ingest.finding import is_audio
from studies.imports.ingest.names import is_litter, natural

WORDS = re.compile(r"\d+|[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """A folder and the audio files below it, as paths from the folder with “/”, in natural order."""

    path: Path
    files: tuple[str, ...]

    @classmethod
    def of(cls, path: Path) -> FolderFiles:
        names = (file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file())
        return cls(path, tuple(sorted((name for name in names if is_audio(name) and not is_litter(name)), key=natural)))


@dataclass(frozen=True, slots=True)
class Pairing:
    """Rows of files that belong together, one of each folder; `alone` counts each folder's files without partner."""

    rows: tuple[tuple[str, ...], ...]
    alone: tuple[int, ...]


def by_name(folders: Sequence[FolderFiles]) -> Pairing:
    """Pair equal names first, then names that are equal in their words and numbers, then those without shared words.

    Names are compared without case, ending, zero padding, separators and the folder's own name. Shared words are those
    without digits that all files of a folder have. Two files of a folder that become equal have no partner.
    """
    left = [list(folder.files) for folder in folders]
    rows: list[tuple[str, ...]] = []
    for key in (_whole_name, _plain_name, _short_name):
        matches = _matching([_unique(key, folder, files) for folder, files in zip(folders, left, strict=True)])
        rows += matches
        for number, files in enumerate(left):
            used = {row[number] for row in matches}
            left[number] = [file for file in files if file not in used]
    return Pairing(tuple(sorted(rows, key=lambda row: natural(row[0]))), tuple(map(len, left)))


def by_order(folders: Sequence[FolderFiles]) -> Pairing:
    """Pair the first file of each folder, the second of each, and so on."""
    rows = tuple(zip(*(folder.files for folder in folders), strict=False))
    return Pairing(rows, tuple(len(folder.files) - len(rows) for folder in folders))


def _whole_name(folder: FolderFiles, file: str) -> str:
    return file


def _plain_name(folder: FolderFiles, file: str) -> str:
    return " ".join(_own_words(folder, file))


def _short_name(folder: FolderFiles, file: str) -> str:
    shared = _shared_words(folder)
    return " ".join(word for word in _own_words(folder, file) if word not in shared)


@cache
def _shared_words(folder: FolderFiles) -> frozenset[str]:
    words = [{word for word in _own_words(folder, file) if not word.isdigit()} for file in folder.files]
    return frozenset(set.intersection(*words)) if len(words) > 1 else frozenset()


def _own_words(folder: FolderFiles, file: str) -> list[str]:
    return _without(_words(PurePosixPath(file).with_suffix("").as_posix()), _words(folder.path.name))


def _unique(key: Callable[[FolderFiles, str], str], folder: FolderFiles, files: Sequence[str]) -> dict[str, str]:
    """Return {key: file}, without keys that two files have."""
    keys = {file: key(folder, file) for file in files}
    times = Counter(keys.values())
    return {each: file for file, each in keys.items() if times[each] == 1}


def _without(words: list[str], name: list[str]) -> list[str]:
    """Leave out the words of a folder's name where they follow each other, unless they are numbers or nothing stays."""
    size = len(name)
    if all(word.isdigit() for word in name):
        return words
    at = next((at for at in range(len(words) - size + 1) if words[at : at + size] == name), None)
    return words if at is None else (words[:at] + words[at + size :]) or words


def _words(text: str) -> list[str]:
    return [(word.lstrip("0") or "0") if word.isdigit() else word for word in WORDS.findall(text.casefold())]


def _matching(keyed: Sequence[dict[str, str]]) -> list[tuple[str, ...]]:
    shared = reduce(lambda one, other: one & other, (set(keys) for keys in keyed)) - {""}
    return [tuple(keys[key] for keys in keyed) for key in sorted(shared)]

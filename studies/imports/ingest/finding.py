"""Find the files that a table names: from another folder on, without their ending, or as paths of another machine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from studies.imports.ingest.names import folded

SUFFIXES = re.compile(r"\.(wav|rf64|flac|mp3|ogg|oga|opus|aiff?|aifc|m4a|mp4|aac|webm)", re.IGNORECASE)


def is_audio(name: str) -> bool:
    return SUFFIXES.fullmatch(PurePosixPath(name).suffix) is not None


class Finder:
    """Finds files by the longest ending of a path that only one of them has."""

    def __init__(self, files: Sequence[str]) -> None:
        self.ends: dict[str, str | None] = {}
        self.numbers: dict[str, str | None] = {}
        paths = [(file, PurePosixPath(_bare(file)).parts) for file in files]
        shared = _shared([parts[:-1] for _file, parts in paths])
        # What a longer path of a table has to end with.
        self.whole = {file: "/".join(parts[shared:]) for file, parts in paths}
        for file, parts in paths:
            for start in range(len(parts)):
                end = "/".join(parts[start:])
                # An end that two files share names neither.
                self.ends[end] = None if end in self.ends and start else file
            number = _numbers(parts[-1])
            self.numbers[number] = None if number in self.numbers else file
        self.exact = {folded(file): file for file in files}

    def find(self, name: str) -> str | None:
        """Return the file that is meant; None if there is none, or more than one."""
        if file := self.exact.get(folded(name)):
            return file
        parts = _parts(name)
        for start in range(len(parts)):
            end = "/".join(parts[start:])
            if (file := self.ends.get(end)) and (
                not start or self.whole[file] == end or end.endswith(f"/{self.whole[file]}")
            ):
                return file
        return None

    def shared_words(self, name: str, file: str) -> int:
        """Count the last parts of a path that a file has, too."""
        pairs = zip(reversed(_parts(name)), reversed(PurePosixPath(_bare(file)).parts), strict=False)
        return next((count for count, (one, other) in enumerate(pairs) if one != other), len(_parts(name)))

    def near(self, name: str) -> str | None:
        """Return the file whose name has the same numbers written in another way: 001.wav for 1.wav."""
        parts = _parts(name)
        return self.numbers.get(_numbers(parts[-1])) if parts else None


def _bare(name: str) -> str:
    """Return a path without the ending of audio, which tables leave out or have of another format."""
    path = folded(name.replace("\\", "/"))
    return path[: -len(PurePosixPath(path).suffix)] if is_audio(path) else path


def _parts(name: str) -> tuple[str, ...]:
    """Return the parts of a path, also of an absolute one; none if it leads upwards."""
    parts = tuple(part for part in PurePosixPath(_bare(name.strip())).parts if part != "/")
    return () if ".." in parts else parts


def _numbers(name: str) -> str:
    return re.sub(r"\d+", lambda match: str(int(match[0])), name)


def _shared(folders: Iterable[tuple[str, ...]]) -> int:
    """Count the folders that all files share, from the outermost."""
    count = 0
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        count += 1
    return count

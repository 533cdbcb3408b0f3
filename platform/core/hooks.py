"""What apps register when they are ready."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from launcher.findings import Finding


class Chore(Protocol):
    """Called by the sweep every few seconds, and quick when there is nothing to do."""

    def __call__(self, *, now: datetime) -> object: ...


chores: list[Chore] = []

# What a server is checked for besides its own parts, by name: each yields findings and may take some seconds.
diagnoses: dict[str, Callable[[], Iterable[Finding]]] = {}

# The same for what tables of ours say; these are asked one after the other.
table_diagnoses: dict[str, Callable[[], Iterable[Finding]]] = {}

# Called after a backup was restored, with what says to the operator what was done.
restored: list[Callable[[Callable[[str], object]], object]] = []

# Each yields sentences that pages say though no call marks them: labels and help of declared settings, names of codes.
declared_words: list[Callable[[], Iterator[str]]] = []


@dataclass(frozen=True, slots=True)
class Kept:
    """A stored file that a row names: in the words of a person, whose it is, and its hash where that is known."""

    name: str
    of: str
    sha256: str = ""


# Each yields the stored files that rows of its app name: those of one study, or all of them.
stored_files: list[Callable[[int | None], Iterator[Kept]]] = []
# The kinds of file (the first part of a name) that these know all of; of another kind, nobody can tell what is in use.
stored_kinds: set[str] = {"health"}


def kept(study: int | None = None) -> Iterator[Kept]:
    """Yield each stored file that a row names, once for each row that does."""
    for files in stored_files:
        yield from (file for file in files(study) if file.name)

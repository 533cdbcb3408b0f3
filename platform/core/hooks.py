"""Hooks that apps fill in `ready()`: periodic work, checks, sentences, stored files.

Hooks of a study are in `studies.hooks`, hooks of a rater's session in `raters.rating.hooks`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.findings import Finding
from core.registry import Registry


class Chore(Protocol):
    """Regular work. The sweep calls it every few seconds, so it must be quick when there is nothing to do."""

    def __call__(self, *, now: datetime) -> object: ...


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A check of the server, for `earshot doctor` and *System status*; it may take some seconds."""

    name: str
    findings: Callable[[], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file in the store that a row refers to; `of` describes the row to people."""

    name: str
    of: str
    # Empty where the hash is not known.
    sha256: str = ""


chores: Registry[Chore] = Registry()

# Each runs in a thread of its own.
diagnoses: Registry[Diagnosis] = Registry()
# These read our tables, and run one after the other on one connection.
table_diagnoses: Registry[Diagnosis] = Registry()

# Called after a backup was restored; each reports to the operator by calling its argument.
after_restore: Registry[Callable[[Callable[[str], object]], object]] = Registry()

# Each yields sentences shown on pages without a gettext call: labels and help of settings, names of codes.
declared_words: Registry[Callable[[], Iterator[str]]] = Registry()

# Each yields the stored files that its app's rows name: those of one study, or all of them.
stored_files: Registry[Callable[[int | None], Iterator[StoredFile]]] = Registry()
# The kinds of file (the first part of a name) of which these yield all; a file of another kind is never deleted.
stored_kinds: Registry[str] = Registry(["health"])


def named_files(study: int | None = None) -> Iterator[StoredFile]:
    """Yield each stored file that a row names, once for each row that does."""
    for files in stored_files:
        yield from (file for file in files(study) if file.name)

"""Files of clips that are not clips yet: stored under the import's own folder, so that none is left behind."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.core.files.storage import default_storage

from core import storage
from studies.models import Clip, ClipImport


def keep(job: ClipImport, path: Path) -> str:
    """Store a staged file, and return its name."""
    with path.open("rb") as file:
        return storage.put(_folder(job), file)


def discard_unpublished(names: Iterable[str]) -> None:
    """Delete stored files, except those that a clip names: a commit may succeed although its answer got lost."""
    names = set(names)
    published: set[str] = set()
    for field in ("original", "rendition"):
        published.update(Clip.objects.filter(**{f"{field}__in": names}).values_list(field, flat=True))
    for name in names - published:
        storage.discard(name)


def discard_leftovers(job: ClipImport) -> None:
    """Delete what an earlier worker stored for this import before it was killed."""
    discard_unpublished(_below(_folder(job)))


def _folder(job: ClipImport) -> str:
    return f"clips/{job.pk}"


def _below(folder: str) -> Iterator[str]:
    folders: list[str] = []
    files: list[str] = []
    with contextlib.suppress(FileNotFoundError):
        folders, files = default_storage.listdir(folder)
    yield from (f"{folder}/{name}" for name in files)
    for name in folders:
        yield from _below(f"{folder}/{name}")

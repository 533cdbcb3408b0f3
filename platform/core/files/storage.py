"""Store files under opaque names in Django's default storage, and hash the names of static files."""

from __future__ import annotations

import secrets
from functools import cache
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

from core.files.cache import DiskCache


class StaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """Hash the names inside ES modules too, so that a page never mixes two releases."""

    support_js_module_import_aggregation = True


def put(kind: str, content: bytes | IO[bytes]) -> str:
    """Store `content` under an opaque name, and return that name."""
    file = ContentFile(content) if isinstance(content, bytes) else File(content)
    return default_storage.save(opaque(kind), file)


def opaque(kind: str) -> str:
    """Return a new name that reveals only the kind of file."""
    name = secrets.token_hex(16)
    return f"{kind}/{name[:2]}/{name}"


def open_file(name: str) -> IO[bytes]:
    """Open a stored file for reading."""
    return default_storage.open(name, "rb")


def open_sound(name: str, size: int) -> IO[bytes]:
    """Open a rendition of `size` bytes, from this machine's cache if the store is remote; raise `OSError`.

    Read no further than `size`: what follows is not sound.
    """
    copies = _copies()
    if copies is None:
        return open_file(name)
    return copies.open(name, size) or copies.keep(name, size, open_file(name))


def fetch_sound(name: str, size: int) -> None:
    """Copy a rendition to this machine's disk, unless it is there."""
    copies = _copies()
    if copies is not None and not copies.has(name):
        copies.keep(name, size, open_file(name)).close()


def is_elsewhere() -> bool:
    """Say whether renditions are copied to this machine's disk."""
    return bool(settings.AUDIO_CACHE_BYTES)


def _copies() -> DiskCache | None:
    return _cache(settings.AUDIO_CACHE, settings.AUDIO_CACHE_BYTES) if is_elsewhere() else None


@cache
def _cache(folder: Path, limit: int) -> DiskCache:
    return DiskCache(folder, limit)


def discard(name: str) -> None:
    """Delete a stored file; a missing one is no error."""
    if name:
        default_storage.delete(name)

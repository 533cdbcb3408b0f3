"""Where bytes live: opaque names in Django's default storage, and hashed static files."""

from __future__ import annotations

import secrets
from typing import IO

from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """Hash the names inside ES modules too, so that a page never mixes two releases."""

    support_js_module_import_aggregation = True


def put(kind: str, content: bytes | IO[bytes]) -> str:
    """Store `content` under a name that says nothing about it, and return that name."""
    name = secrets.token_hex(16)
    file = ContentFile(content) if isinstance(content, bytes) else File(content)
    return default_storage.save(f"{kind}/{name[:2]}/{name}", file)


def open_file(name: str) -> IO[bytes]:
    """Open a stored file for reading."""
    return default_storage.open(name, "rb")


def discard(name: str) -> None:
    """Delete a stored file; a missing one is no error."""
    if name:
        default_storage.delete(name)

"""Storages of files, in the format of Django's setting STORAGES."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core import env

FOLDER, S3, FORMER = "folder", "s3", "former"
ENCRYPTIONS = ("AES256", "aws:kms")


def stores(data: Path) -> dict[str, dict[str, Any]]:
    """Return every store by name: the folder, the bucket and the former bucket, as far as they are set."""
    folder = {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": data / "files", "file_permissions_mode": 0o600, "directory_permissions_mode": 0o700},
    }
    configured = {FOLDER: folder, S3: _bucket("S3"), FORMER: _bucket("FORMER_S3")}
    return {name: store for name, store in configured.items() if store}


def default(configured: dict[str, dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """Return which store takes new files, and the storage that reads from all of them."""
    current = env.text("EARSHOT_STORE") or (S3 if S3 in configured else FOLDER)
    if current not in configured:
        env.refuse(f"EARSHOT_STORE is {current!r}; write {' or '.join(configured)}, or set its bucket.")
        current = FOLDER
    if len(configured) == 1:
        return current, configured[current]
    order = [current, *(name for name in configured if name != current)]
    return current, {"BACKEND": "core.files.stores.Stores", "OPTIONS": {"names": order}}


def _bucket(prefix: str) -> dict[str, Any] | None:
    """Return the storage of the bucket that these settings name, or None."""
    bucket, endpoint = env.text(f"EARSHOT_{prefix}_BUCKET"), env.address(f"EARSHOT_{prefix}_ENDPOINT")
    keys = env.text(f"EARSHOT_{prefix}_ACCESS_KEY"), env.text(f"EARSHOT_{prefix}_SECRET_KEY")
    encryption = env.text(f"EARSHOT_{prefix}_ENCRYPTION")
    if not bucket:
        return None
    if bool(keys[0]) != bool(keys[1]):
        env.refuse(
            f"EARSHOT_{prefix}_ACCESS_KEY and EARSHOT_{prefix}_SECRET_KEY belong together; set both, or neither."
        )
    if encryption and encryption not in ENCRYPTIONS:
        env.refuse(f"EARSHOT_{prefix}_ENCRYPTION is {encryption!r}; write AES256 or aws:kms.")
    return {
        "BACKEND": "core.files.s3.S3",
        "OPTIONS": {
            "bucket_name": bucket,
            "endpoint_url": endpoint or None,
            "region_name": env.text(f"EARSHOT_{prefix}_REGION") or None,
            "access_key": keys[0] or None,
            "secret_key": keys[1] or None,
            "addressing_style": "path",
            "signature_version": "s3v4",
            "default_acl": None,
            "file_overwrite": False,
            # Larger objects are read by way of the disk.
            "max_memory_size": 8 << 20,
            "object_parameters": _encrypted(encryption, env.text(f"EARSHOT_{prefix}_ENCRYPTION_KEY")),
        },
    }


def _encrypted(encryption: str, key: str) -> dict[str, str]:
    """Return the options with which a store encrypts each object."""
    if not encryption:
        return {}
    return {"ServerSideEncryption": encryption, **({"SSEKMSKeyId": key} if key and encryption == "aws:kms" else {})}

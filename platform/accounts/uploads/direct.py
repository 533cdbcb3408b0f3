"""Parts that browsers send directly to a bucket, as one S3 multipart upload."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.uploads.models import Upload
from core.errors import Conflict
from core.files import stores

# No bucket takes more parts than this for one object.
MOST_PARTS = 10_000


def bucket_of_browsers() -> str:
    """Return the name of the store that browsers send parts to; empty if that is this server."""
    name, first = next(iter(stores.members().items()))
    return name if settings.S3_PUBLIC_ENDPOINT and hasattr(first, "begin_parts") else ""


def origin() -> str:
    """Return the origin that browsers send parts to; empty if that is this server."""
    parts = urlsplit(settings.S3_PUBLIC_ENDPOINT)
    return f"{parts.scheme}://{parts.netloc}" if bucket_of_browsers() else ""


def store_of(row: Upload) -> Any:
    """Return the bucket of an upload; None if the settings no longer contain it."""
    return stores.members().get(row.store)


def missing(row: Upload) -> list[int]:
    """Return the numbers of the parts that are missing in the bucket or have the wrong size."""
    if not row.multipart:
        return []
    store = store_of(row)
    sizes = {number: size for number, (size, _tag) in store.parts(row.target, row.multipart).items()} if store else {}
    if not sizes and is_joined(row):
        return []
    return [number for number in range(1, row.part_count + 1) if sizes.get(number) != row.size_of(number)]


def is_joined(row: Upload) -> bool:
    """Return whether the bucket has already joined the parts, although its answer was lost."""
    store = store_of(row)
    try:
        return bool(store and store.size(row.target) == row.bytes)
    except FileNotFoundError:
        return False


def address(row: Upload, number: int) -> str:
    """Return the signed address of a part."""
    signed: str = store_of(row).part_address(
        row.target, row.multipart, number, row.size_of(number), settings.S3_PUBLIC_ENDPOINT
    )
    return signed


def join(row: Upload) -> None:
    """Make one object of all parts; raise `Conflict` if it has another size. May be repeated."""
    bucket = store_of(row)
    if bucket is None:
        raise Conflict(_("The store has changed. Send the files again."), code="upload_incomplete")
    if not is_joined(row):
        tags = {number: tag for number, (_size, tag) in bucket.parts(row.target, row.multipart).items()}
        if bucket.finish_parts(row.target, row.multipart, tags) != row.bytes:
            raise Conflict(_("The files have another size than announced. Send them again."), code="upload_damaged")
    Upload.objects.filter(pk=row.pk).update(multipart="")
    row.multipart = ""

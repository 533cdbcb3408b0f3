"""How far a browser's upload is, and where its next parts go."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.selectors import uploads as parts_of
from core import stores
from core.errors import NotFound
from studies.models import ClipUpload

# Addresses that are given out at once; they are good for an hour.
AT_ONCE = 20


def upload(*, study_id: int, owner_id: int, key: str) -> ClipUpload:
    """Return this person's upload to this study; raises `NotFound`."""
    rows = ClipUpload.objects.select_related("parts")
    found = rows.filter(study_id=study_id, owner_id=owner_id, key=key).first()
    if found is None:
        raise NotFound(_("There is no such upload."))
    return found


def bucket() -> str:
    """Return the name of the store that browsers send parts to, empty where they send them to this server."""
    name, first = next(iter(stores.members().items()))
    return name if settings.S3_PUBLIC_ENDPOINT and hasattr(first, "begin_parts") else ""


def origin() -> str:
    """Return the origin that browsers send parts to, empty where that is this server's own."""
    parts = urlsplit(settings.S3_PUBLIC_ENDPOINT)
    return f"{parts.scheme}://{parts.netloc}" if bucket() else ""


def holder(row: ClipUpload) -> Any:
    """Return the bucket that an upload was begun in; None when the settings know it no more."""
    return stores.members().get(row.store)


def missing(row: ClipUpload) -> list[int]:
    """Return the numbers of the parts that have not come, or have come with another size than they should."""
    if row.file:
        return []
    if row.parts is not None:
        return parts_of.missing(row.parts)
    store = holder(row)
    came = {number: size for number, (size, _tag) in store.parts(row.target, row.multipart).items()} if store else {}
    if not came and is_joined(row):
        return []
    return [number for number in range(1, row.part_count + 1) if came.get(number) != row.size_of(number)]


def is_joined(row: ClipUpload) -> bool:
    """Say whether the bucket has made one object of the parts already, and its answer was lost."""
    store = holder(row)
    try:
        return bool(row.multipart and store and store.size(row.target) == row.bytes)
    except FileNotFoundError:
        return False


def state(row: ClipUpload) -> dict[str, Any]:
    """Return what the page's script must know: how many parts have come, and where to put the next ones."""
    lacking = missing(row)
    return {
        "key": row.key,
        "bytes": row.bytes,
        "part_bytes": row.part_bytes,
        "parts": row.part_count,
        "missing": len(lacking),
        "is_whole": bool(row.file),
        "is_direct": bool(row.multipart),
        "next": [{"number": number, "url": _address(row, number)} for number in lacking[:AT_ONCE]],
    }


def _address(row: ClipUpload, number: int) -> str:
    if not row.multipart:
        return reverse("admin:studies_study_upload_part", args=[row.study_id, row.key, number])
    address: str = holder(row).part_address(
        row.target, row.multipart, number, row.size_of(number), settings.S3_PUBLIC_ENDPOINT
    )
    return address

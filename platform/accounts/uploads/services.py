"""Receive a large file in parts; delete abandoned uploads."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.uploads.models import Upload, UploadPart
from core import rng
from core.errors import Conflict, Invalid, NotFound
from core.files import storage

if TYPE_CHECKING:
    from accounts.users.models import User

MIB = 1 << 20
PART_BYTES = 8 * MIB
KEPT = timedelta(hours=24)
# Uploads in progress of one person; each may use disk up to the upload limit.
AT_ONCE = 10


@transaction.atomic
def begin(*, owner: User, name: str, size: int, sha256: str, now: datetime) -> Upload:
    """Announce a file; raises `Invalid` if it is too large, `Conflict` if too many uploads are in progress."""
    if size > settings.UPLOAD_LIMIT_MB * MIB:
        text = _("The file is larger than {limit} MB; send its clips in several archives.")
        message = text.format(limit=settings.UPLOAD_LIMIT_MB)
        raise Invalid(message, {"bytes": message})
    if Upload.objects.filter(owner=owner).count() >= AT_ONCE:
        text = _("{number} uploads are under way; delete those that you gave up.")
        raise Conflict(text.format(number=AT_ONCE), code="too_many_uploads")
    return Upload.objects.create(
        owner=owner,
        key=rng.token(),
        name=name,
        bytes=size,
        sha256=sha256.lower(),
        part_bytes=PART_BYTES,
        created_at=now,
    )


def put_part(*, upload: Upload, number: int, content: bytes, sha256: str = "") -> None:
    """Store a part; the same part sent again replaces it. Raises `NotFound` and `Invalid`."""
    if not 1 <= number <= upload.part_count:
        raise NotFound(_("The upload has parts 1 to {count}.").format(count=upload.part_count))
    expected, digest = upload.size_of(number), hashlib.sha256(content).hexdigest()
    if len(content) != expected:
        text = _("Part {number} must have {expected} bytes, and {came} came.")
        raise Invalid(text.format(number=number, expected=expected, came=len(content)), code="part_size")
    if sha256 and sha256.lower() != digest:
        raise Invalid(_("Part {number} has another SHA-256 than it should.").format(number=number), code="part_hash")
    name = storage.put("uploads", content)
    try:
        with transaction.atomic():
            # Locked, so that a part sent twice at once leaves one file behind.
            if not Upload.objects.select_for_update(no_key=True).filter(pk=upload.pk).exists():
                raise NotFound(_("There is no such upload."))
            before = UploadPart.objects.filter(upload=upload, number=number).values_list("file", flat=True).first()
            UploadPart.objects.update_or_create(upload=upload, number=number, defaults={"sha256": digest, "file": name})
    except BaseException:
        storage.discard(name)
        raise
    storage.discard(before or "")


def discard(*, upload: Upload) -> None:
    """Forget an upload and delete its parts."""
    with transaction.atomic():
        names = list(UploadPart.objects.filter(upload=upload).values_list("file", flat=True))
        Upload.objects.filter(pk=upload.pk).delete()
    for name in names:
        storage.discard(name)


def discard_old(now: datetime) -> None:
    """Delete uploads that were not finished within a day."""
    for row in Upload.objects.filter(created_at__lt=now - KEPT)[:20]:
        discard(upload=row)

"""Receive sets of files in parts; delete abandoned uploads."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from accounts.uploads import direct, queries
from accounts.uploads.models import Upload, UploadPart
from core import rng
from core.errors import Conflict, Invalid, NotFound
from core.files import storage, stores
from core.web import client_input

if TYPE_CHECKING:
    from accounts.users.models import User

MIB = 1 << 20
PART_BYTES = 8 * MIB
KEPT = timedelta(hours=24)
# Uploads in progress of one person; each may use disk up to the upload limit.
AT_ONCE = 10
# Longest path of a file, and most files in one upload.
LONGEST, MOST_FILES = 1000, 100_000


def begin(
    *,
    owner: User,
    name: str,
    files: Sequence[tuple[str, int]],
    now: datetime,
    sha256: str = "",
    purpose: str = "",
    listing: str = "",
    from_browser: bool = False,
) -> Upload:
    """Announce files by path and bytes; raises `Invalid`, or `Conflict` if too many uploads are in progress.

    With a `listing`, the hash of a list of files, the upload of the same list for the same purpose continues.
    """
    size = sum(size for _path, size in files)
    _refuse(files, size)
    if listing:
        before = Upload.objects.filter(owner=owner, purpose=purpose, listing=listing).order_by("pk").last()
        if before is not None:
            return before
    if sum(not queries.is_whole(row) for row in Upload.objects.filter(owner=owner)) >= AT_ONCE:
        text = _("{number} uploads are in progress. Delete those that you no longer need.")
        raise Conflict(text.format(number=AT_ONCE), code="too_many_uploads")
    about: dict[str, Any] = {
        "owner": owner,
        "key": rng.token(),
        "name": name[-255:],
        "files": [list(each) for each in files] if len(files) > 1 or files[0][0] != name[-255:] else [],
        "bytes": size,
        "sha256": sha256.lower(),
        "purpose": purpose,
        "listing": listing,
        "created_at": now,
    }
    store = direct.bucket_of_browsers() if from_browser else ""
    if not store:
        return Upload.objects.create(part_bytes=PART_BYTES, **about)
    bucket: Any = stores.members()[store]
    target = storage.opaque("uploads")
    multipart = bucket.begin_parts(target)
    part_bytes = max(PART_BYTES, -(-size // direct.MOST_PARTS))
    try:
        return Upload.objects.create(part_bytes=part_bytes, store=store, target=target, multipart=multipart, **about)
    except BaseException:
        bucket.drop_parts(target, multipart)
        raise


def _refuse(files: Sequence[tuple[str, int]], size: int) -> None:
    if size > settings.UPLOAD_LIMIT_MB * MIB:
        text = _("These files are larger than {limit} MB. Send them in several uploads.")
        message = text.format(limit=settings.UPLOAD_LIMIT_MB)
        raise Invalid(message, {"bytes": message})
    if not size:
        raise Invalid(_("These files are empty."), {"bytes": _("These files are empty.")})
    if len(files) > MOST_FILES:
        text = _("These are {number} files. Import at most {limit} at once, for example a folder at a time.")
        raise Invalid(text.format(number=len(files), limit=MOST_FILES))
    paths = set()
    for path, _size in files:
        if not 0 < len(path) <= LONGEST or client_input.is_unstorable(path):
            raise Invalid(
                _("The path of a file is empty, too long or can’t be stored: {path}").format(path=ascii(path[:80]))
            )
        if path in paths:
            raise Invalid(_("Two files have the same path: {path}").format(path=path))
        paths.add(path)


def put_part(*, upload: Upload, number: int, content: bytes, sha256: str = "") -> None:
    """Store a part; the same part sent again replaces it. Raises `NotFound` and `Invalid`."""
    if upload.target:
        raise Conflict(_("This upload goes directly to the store."), code="direct")
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


def finish(*, upload: Upload) -> None:
    """Make sure that everything has come, in a bucket as one object; raises `Conflict`. May be repeated."""
    if lacking := queries.missing(upload):
        raise Conflict(_("Parts of the upload are missing."), code="upload_incomplete", missing=lacking[:20])
    if upload.multipart:
        direct.join(upload)
    elif upload.sha256:
        with queries.assembled(upload):
            # Compares the hashes.
            pass


def discard(*, upload: Upload) -> None:
    """Delete an upload with its files; raises `Conflict` while something uses it."""
    try:
        with transaction.atomic():
            names = list(UploadPart.objects.filter(upload=upload).values_list("file", flat=True))
            Upload.objects.filter(pk=upload.pk).delete()
    except ProtectedError:
        raise Conflict(_("These files are being imported."), code="in_use") from None
    if upload.multipart and (bucket := direct.store_of(upload)) is not None:
        bucket.drop_parts(upload.target, upload.multipart)
    for name in (*names, upload.target):
        storage.discard(name)


def discard_old(now: datetime) -> None:
    """Delete uploads that nothing has used for a day."""
    for row in Upload.objects.filter(created_at__lt=now - KEPT)[:20]:
        with suppress(Conflict):
            discard(upload=row)

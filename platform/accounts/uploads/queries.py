"""Find uploads and put their parts together."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.uploads import direct
from accounts.uploads.models import Upload, UploadPart
from core.database.paging import paged
from core.errors import Conflict, NotFound
from core.files import storage
from core.hooks import StoredFile

CHUNK = 1 << 20


def upload(owner_id: int, key: str, purpose: str | None = None) -> Upload:
    """Return this person's upload, for a purpose if one is given; raises `NotFound`."""
    rows = Upload.objects.filter(owner_id=owner_id, key=key)
    row = (rows if purpose is None else rows.filter(purpose=purpose)).first()
    if row is None:
        raise NotFound(_("There is no such upload."))
    return row


def of_person(owner_id: int, purpose: str) -> list[Upload]:
    """Return this person's uploads for a purpose, newest first."""
    return list(Upload.objects.filter(owner_id=owner_id, purpose=purpose).order_by("-pk"))


def missing(row: Upload) -> list[int]:
    """Return the numbers of the missing parts."""
    if row.target:
        return direct.missing(row)
    come = set(UploadPart.objects.filter(upload=row).values_list("number", flat=True))
    return [number for number in range(1, row.part_count + 1) if number not in come]


def is_whole(row: Upload) -> bool:
    """Return whether all parts have come; a bucket isn't asked: it also has to have joined them."""
    return not row.multipart if row.target else not missing(row)


def stored() -> Iterator[StoredFile]:
    """Yield the stored parts of all uploads, and what a bucket made of parts."""
    for row in paged(UploadPart.objects.values("pk", "file", "sha256"), "pk"):
        yield StoredFile(row["file"], f"part {row['pk']} of an upload", row["sha256"])
    for row in paged(Upload.objects.exclude(target="").filter(multipart="").values("pk", "target"), "pk"):
        yield StoredFile(row["target"], f"upload {row['pk']}")


@contextmanager
def assembled(row: Upload) -> Iterator[IO[bytes]]:
    """Open all files as one, checked against its size and hash; raises `Conflict` if parts are missing."""
    if lacking := missing(row):
        words = _("Parts of the upload are missing: {numbers}.")
        listed = ", ".join(map(str, lacking[:20])) + (" …" if len(lacking) > 20 else "")
        raise Conflict(words.format(numbers=listed), code="upload_incomplete", missing=lacking)
    if row.target:
        with storage.open_file(row.target) as file:
            yield file
        return
    digest = hashlib.sha256()
    with tempfile.TemporaryFile(prefix="earshot-upload-", dir=settings.FILE_UPLOAD_TEMP_DIR) as whole:
        for part in UploadPart.objects.filter(upload=row).order_by("number"):
            with storage.open_file(part.file) as file:
                while chunk := file.read(CHUNK):
                    digest.update(chunk)
                    whole.write(chunk)
        # Browsers send no hash: they can't compute it for a file larger than memory. The sizes of the parts were
        # checked.
        if row.sha256 and digest.hexdigest() != row.sha256:
            words = _("The parts together don’t have the SHA-256 that was announced. Send the upload again.")
            raise Conflict(words, code="upload_damaged")
        whole.seek(0)
        yield whole

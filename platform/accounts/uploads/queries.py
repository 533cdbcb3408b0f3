"""Find uploads and put their parts together."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.uploads.models import Upload, UploadPart
from core.database.paging import paged
from core.errors import Conflict, NotFound
from core.files import storage
from core.hooks import StoredFile

CHUNK = 1 << 20


def upload(owner_id: int, key: str) -> Upload:
    """Return this person's upload; raises `NotFound`."""
    row = Upload.objects.filter(owner_id=owner_id, key=key).first()
    if row is None:
        raise NotFound(_("There is no such upload."))
    return row


def missing(row: Upload) -> list[int]:
    """Return the numbers of the missing parts."""
    come = set(UploadPart.objects.filter(upload=row).values_list("number", flat=True))
    return [number for number in range(1, row.part_count + 1) if number not in come]


def stored() -> Iterator[StoredFile]:
    """Yield the stored parts of all uploads."""
    for row in paged(UploadPart.objects.values("pk", "file", "sha256"), "pk"):
        yield StoredFile(row["file"], f"part {row['pk']} of an upload", row["sha256"])


@contextmanager
def assembled(row: Upload) -> Iterator[IO[bytes]]:
    """Open the whole file, checked against its size and hash; raises `Conflict` if parts are missing."""
    if lacking := missing(row):
        words = _("Parts of the upload are missing: {numbers}.")
        listed = ", ".join(map(str, lacking[:20])) + (" …" if len(lacking) > 20 else "")
        raise Conflict(words.format(numbers=listed), code="upload_incomplete", missing=lacking)
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
            words = _("The parts together have not the SHA-256 that was announced. Send the upload anew.")
            raise Conflict(words, code="upload_damaged")
        whole.seek(0)
        yield whole

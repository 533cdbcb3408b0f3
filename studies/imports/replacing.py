"""Replace a clip by another recording before the launch, through an ordinary import that withdraws the old clip."""

from __future__ import annotations

import csv
import io
import tempfile
import zipfile
from datetime import datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from django.core.files.base import File
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid
from core.jobs import QUEUED, RUNNING
from studies.clips.models import Clip, ClipImport
from studies.definition.models import Study
from studies.imports import known_clips, requests
from studies.imports.ingest.manifest import COLUMNS, EXTRA
from studies.imports.ingest.names import folded

if TYPE_CHECKING:
    from accounts.users.models import User

CHUNK = 1 << 20
MIB = 1 << 20
# Of one recording: half an hour of stereo is less.
LARGEST = 512 * MIB


def replace(*, study: Study, clip_id: int, upload: File[bytes], user: User | None, now: datetime) -> ClipImport:
    """Queue the import of another file with the same labels; raise `Invalid` or `Conflict`.

    The import withdraws the old clip in the transaction that adds the new one: when the new file is refused, the
    import's report says why, and the old clip stays. It keeps its file and what experts decided about it.
    """
    known_clips.refuse_launched(study)
    old = Clip.objects.select_related("system", "text").filter(study=study, pk=clip_id).first()
    if old is None:
        raise Conflict(_("This clip was deleted meanwhile."), code="deleted")
    if ClipImport.objects.filter(replaces=old, state__in=[QUEUED, RUNNING]).exists():
        raise Conflict(_("This clip is being replaced already. Wait until its import is done."), code="replacing")
    if not upload.size or upload.size > LARGEST:
        text = _("Send a recording of at most {limit} MB.").format(limit=LARGEST // MIB)
        raise Invalid(text, {"replacement": text})
    suffix = PurePosixPath((upload.name or "").replace("\\", "/")).suffix.lower() or PurePosixPath(old.file).suffix
    used_names = {folded(file) for file in Clip.objects.filter(study=study).values_list("file", flat=True)}
    name = known_clips.free_name(old.file, suffix, used_names)
    with tempfile.TemporaryFile() as whole:
        with zipfile.ZipFile(whole, "w") as archive, archive.open(name, "w", force_zip64=True) as inside:
            for chunk in upload.chunks(CHUNK):
                inside.write(chunk)
        whole.seek(0)
        return requests.request_import(
            study=study,
            user=user,
            manifest=_manifest(old, name),
            manifest_name=_("Replacement of {file}").format(file=old.file),
            archive=whole,
            archive_name=upload.name or name,
            now=now,
            replaces=old,
        )


def _manifest(old: Clip, name: str) -> bytes:
    """Return a manifest of the one file, with everything that was known of the old clip."""
    known = {column: getattr(old, column) for column in COLUMNS if column not in ("file", "system", "text_id", "text")}
    words = {"text_id": old.text.name, "text": old.text.body} if old.text is not None else {}
    extra = {f"{EXTRA}{column}": value for column, value in (old.extra or {}).items()}
    out = io.StringIO()
    table = csv.DictWriter(out, [*COLUMNS, *extra], restval="")
    table.writeheader()
    table.writerow({**known, **words, **extra, "file": name, "system": old.system.name})
    return out.getvalue().encode()

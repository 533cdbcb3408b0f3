"""The ways in: an upload that a worker takes up, and a folder that the shell names."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from django.conf import settings
from django.core.files.base import File
from django.utils.translation import gettext as _

from core import clock, jobs, storage
from core.errors import Invalid
from studies.ingest.archive import MIB, Folder, Limits, Source, ZipArchive
from studies.ingest.manifest import MAX_BYTES
from studies.models import ClipImport, Study
from studies.services.imports.files import discard_leftovers
from studies.services.imports.working import TakenOver, work

if TYPE_CHECKING:
    from accounts.models import User

    Upload = bytes | IO[bytes] | File[bytes]

logger = logging.getLogger(__name__)
Progress = Callable[[int, int], None]


def request_import(
    *,
    study: Study,
    user: User | None,
    manifest: Upload,
    manifest_name: str,
    archive: Upload,
    archive_name: str,
    now: datetime,
) -> ClipImport:
    """Keep an uploaded archive and its manifest, and queue the job that reads them; raises `Invalid`."""
    problems = {}
    if _size(manifest) > MAX_BYTES:
        problems["manifest"] = _("The manifest is larger than {limit} MB.").format(limit=MAX_BYTES // MIB)
    if _size(archive) > settings.UPLOAD_LIMIT_MB * MIB:
        text = _("The archive is larger than {limit} MB; send it in parts.")
        problems["archive"] = text.format(limit=settings.UPLOAD_LIMIT_MB)
    if problems:
        raise Invalid(_("The upload can't be taken."), problems)
    _refuse_closed(study)
    kept: list[str] = []
    try:
        kept.append(_put(manifest))
        kept.append(_put(archive))
        return ClipImport.objects.create(
            study=study,
            created_by=user,
            created_at=now,
            queued_at=now,
            manifest_name=_short(manifest_name),
            archive_name=_short(archive_name),
            manifest=kept[0],
            archive=kept[1],
        )
    except BaseException:
        for name in kept:
            storage.discard(name)
        raise


def run_import(*, pk: int, now: Callable[[], datetime] = clock.now) -> None:
    """Do a queued import to its end. It may run for minutes, so that it asks `now` again and again.

    Afterwards the job is done, with clips added or with a report of what was refused, or failed with an error.
    """
    job = jobs.claim(ClipImport, pk, now())
    if job is None:
        return
    names = [job.manifest, job.archive]
    try:
        if job.tries > 1:
            discard_leftovers(job)
        if not all(names):
            jobs.finish(job, now(), error=_("The command that ran this import was stopped. Run it again."))
            return
        with storage.open_file(job.manifest) as file:
            manifest = file.read()
        with storage.open_file(job.archive) as file:
            work(job, manifest, lambda: ZipArchive(file, archive_limits()), now=now)
    except TakenOver:
        # Another worker has the job, and with it the archive.
        return
    except Exception:
        logger.exception("Import %s failed.", pk)
        if not jobs.finish(job, now(), error=_("The import broke off unexpectedly; the server's log says why.")):
            return
    ClipImport.objects.filter(pk=pk).update(manifest="", archive="")
    for name in names:
        storage.discard(name)


def import_folder(
    *,
    study: Study,
    manifest_path: Path,
    root: Path,
    user: User | None = None,
    now: Callable[[], datetime] = clock.now,
    progress: Progress | None = None,
) -> ClipImport:
    """Import from a folder (or a ZIP file) on this machine, here and now; raises `Invalid` before anything is begun.

    `progress` is called with (clips done, clips in all). Returns the finished job.
    """
    if not manifest_path.is_file():
        raise Invalid(_("There is no manifest {path}.").format(path=manifest_path))
    if not root.exists():
        raise Invalid(_("There is no folder {path}.").format(path=root))
    _refuse_closed(study)
    manifest = manifest_path.read_bytes()
    # Without `queued_at`, no sweep takes it for forgotten.
    row = ClipImport.objects.create(
        study=study,
        created_by=user,
        created_at=now(),
        manifest_name=_short(manifest_path.name),
        archive_name=_short(root.name),
    )
    job = jobs.claim(ClipImport, row.pk, now())
    assert job is not None
    opened: list[Any] = []

    def source() -> Source:
        if root.is_dir():
            return Folder(root)
        opened.append(root.open("rb"))
        return ZipArchive(opened[0], archive_limits())

    try:
        work(job, manifest, source, now=now, progress=progress)
    except TakenOver:
        raise Invalid(_("The import stood still for too long and was given up. Run it again.")) from None
    except BaseException as error:
        jobs.finish(
            job, now(), error=_("The import broke off: {error}").format(error=str(error) or type(error).__name__)
        )
        raise
    finally:
        for file in opened:
            file.close()
    job.refresh_from_db()
    return job


def archive_limits() -> Limits:
    """Return what an archive may hold: four times the upload limit when unpacked."""
    return Limits(total_bytes=4 * settings.UPLOAD_LIMIT_MB * MIB)


def _refuse_closed(study: Study) -> None:
    if study.state == Study.State.CLOSED:
        raise Invalid(_("The study is closed. Reopen it before you add clips."))


def _size(upload: Upload) -> int:
    if isinstance(upload, bytes):
        return len(upload)
    if isinstance(upload, File):
        return upload.size
    here = upload.tell()
    size = upload.seek(0, 2)
    upload.seek(here)
    return size


def _put(upload: Upload) -> str:
    content: Any = upload
    return storage.put("uploads", content)


def _short(name: str) -> str:
    """Return the last part of a file's name, for showing."""
    return name.replace("\\", "/").rpartition("/")[2][-255:]

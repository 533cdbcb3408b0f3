"""Folders for decoded clips; that of a worker that was killed is taken over by the next try on the same machine."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from django.conf import settings

from core import jobs
from studies.clips.models import ClipImport


@contextmanager
def scratch(job: ClipImport) -> Iterator[Path]:
    """Yield a folder for the decoded clips of an import, and delete it unless this process is killed."""
    _delete_old()
    # What a command imports isn't tried again.
    folder = settings.DATA / "imports" / str(job.pk) if job.queued_at else None
    if folder is None or (lock := _locked(folder)) is None:
        with tempfile.TemporaryDirectory(prefix="earshot-import-", dir=settings.FILE_UPLOAD_TEMP_DIR) as temporary:
            yield Path(temporary)
        return
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.close()


def _locked(folder: Path) -> IO[str] | None:
    """Return the open lock of a folder, which is made where it is missing; None while another process has it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / "lock"
    lock = path.open("w")
    with suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The process that had it may just have deleted the folder.
        if path.exists():
            return lock
    lock.close()
    return None


def _delete_old() -> None:
    """Delete the folders of imports that are over: another machine finished them."""
    folders = {folder.name: folder for folder in (settings.DATA / "imports").glob("*")}
    running = ClipImport.objects.filter(pk__in=folders, state__in=[jobs.QUEUED, jobs.RUNNING])
    for pk in folders.keys() - {str(pk) for pk in running.values_list("pk", flat=True)}:
        shutil.rmtree(folders[pk], ignore_errors=True)

"""Start imports: of an upload, in a worker, and of a folder, from the command line."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.uploads import queries as uploads_queries
from accounts.uploads import services as uploads_services
from accounts.uploads.models import Upload
from core import clock, jobs
from core.errors import Conflict, Invalid, NotFound
from core.files import storage
from core.files.room import require_room
from core.nudge import nudge
from core.paths import PROGRAM
from core.web import busy
from studies.clips.models import Clip, ClipImport
from studies.definition.models import Study
from studies.imports import converting, known_clips, renditions, trap_sets
from studies.imports.ingest import uploaded
from studies.imports.ingest.archive import MIB, ArchiveLimits, FileSource, Folder, ZipArchive
from studies.imports.ingest.decoder import DecoderBroken
from studies.imports.ingest.problems import InvalidInput
from studies.imports.ingest.table import MAX_BYTES
from studies.imports.publishing import Files, refuse_unasked
from studies.imports.store_folders import StoreFolder
from studies.imports.trap_sets import TrapSet
from studies.imports.working import TakenOver, discard_leftovers, work

if TYPE_CHECKING:
    from accounts.users.models import User

    Sent = bytes | IO[bytes] | File[bytes]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Choices:
    """How an import treats files that can't simply be added; by default, each stops it.

    `leaves_out` files that can't be read; of names that the study has, `skips_known` or, in a draft, `replaces_known`;
    `keeps_declared`: of files that go on with something unknown, import the part that the header declares.
    """

    leaves_out: bool = False
    skips_known: bool = False
    replaces_known: bool = False
    keeps_declared: bool = False


NO_CHOICES = Choices()
Progress = Callable[[int, int], None]
# The fields of an import with files that are stored until it is done.
STORED = ("manifest", "questions", "golden", "archive")


def request_import(
    *,
    study: Study,
    user: User | None,
    manifest: Sent | None,
    manifest_name: str,
    archive: Sent | None,
    archive_name: str,
    now: datetime,
    upload: Upload | None = None,
    folder: str = "",
    traps_of: Study | None = None,
    questions: Sent | None = None,
    golden: Sent | None = None,
    replaces: Clip | None = None,
    choices: Choices = NO_CHOICES,
) -> ClipImport:
    """Store an archive and lists, and queue the import; raise `Invalid`.

    An upload, a folder of the store, or the traps of a study, take the place of an archive. Without a manifest, the one
    in it is read.
    """
    lists = {"manifest": manifest, "questions": questions, "golden": golden}
    problems = {}
    for name, each in lists.items():
        if each is not None and _size(each) > MAX_BYTES:
            problems[name] = _("This list is larger than {limit} MB.").format(limit=MAX_BYTES // MIB)
    if archive is not None and _size(archive) > settings.UPLOAD_LIMIT_MB * MIB:
        text = _("The archive is larger than {limit} MB; send it in parts.")
        problems["archive"] = text.format(limit=settings.UPLOAD_LIMIT_MB)
    if problems:
        raise Invalid(_("The upload can’t be accepted."), problems)
    # Decoded clips take several times as much, which the worker sees; the archive itself has to be stored now.
    require_room(_size(archive) if archive is not None else 0)
    if study.pilot_of_id is not None:
        raise Conflict(_("A pilot keeps the clips that it was started with. Add clips to the study."), code="is_pilot")
    _refuse(study, asks=questions is not None or golden is not None, replaces=choices.replaces_known)
    stored_names: dict[str, str] = {}
    try:
        for name, each in {**lists, "archive": archive}.items():
            if each is not None:
                stored_names[name] = _put(each)
        with transaction.atomic():
            if upload is not None:
                _refuse_in_use(upload)
            return ClipImport.objects.create(
                study=study,
                created_by=user,
                created_at=now,
                queued_at=now,
                manifest_name=_short(manifest_name),
                archive_name=_short(archive_name),
                upload=upload,
                folder=folder,
                traps_of=traps_of.pk if traps_of else None,
                replaces=replaces,
                **asdict(choices),
                **stored_names,
            )
    except BaseException:
        for name in stored_names.values():
            storage.discard(name)
        raise


def run_import(*, pk: int, now: Callable[[], datetime] = clock.now) -> None:
    """Run a queued import. It may take minutes, so it calls `now` repeatedly.

    Afterwards the job is done, with clips added or with a report of what was refused, or failed with an error.
    """
    job = jobs.claim(ClipImport, pk, now())
    if job is None:
        return
    names, upload = [getattr(job, field) for field in STORED], job.upload
    try:
        if job.tries > 1:
            discard_leftovers(job)
        if job.is_conversion:
            converting.convert(job, now=now)
            return
        if not (job.archive or job.upload or job.folder or job.traps_of):
            jobs.finish(job, now(), error=_("The command that ran this import was stopped. Run it again."))
            return
        lists = Files(_kept(job.manifest), _kept(job.questions), _kept(job.golden))
        with ExitStack() as opened:
            work(job, lists, lambda: _source(job, opened), now=now)
    except TakenOver:
        # Another worker has the job, and uses the archive.
        return
    except DecoderBroken as error:
        logger.error("Import %s failed: %s", pk, error)
        if not jobs.finish(job, now(), error=_broken(error)):
            return
    except Conflict as error:
        if not jobs.finish(job, now(), error=error.message):
            return
    except Exception as error:
        logger.exception("Import %s failed.", pk)
        if not jobs.finish(job, now(), error=_failure(job, error)):
            return
    ClipImport.objects.filter(pk=pk).update(**dict.fromkeys(STORED, ""), upload=None)
    for name in names:
        storage.discard(name)
    job.refresh_from_db(fields=["state", "report"])
    # Refused files, and those that wait for a decision, can be imported later without sending them again.
    if upload is not None and job.state == jobs.DONE and not job.refusals and not job.uncertain:
        uploads_services.discard(upload=upload)
    if (conversion := renditions.waiting(job.study)) is not None:
        nudge(conversion.task_name, conversion.pk)


def _source(job: ClipImport, opened: ExitStack) -> FileSource:
    """Open the files of a queued import."""
    if job.folder:
        return StoreFolder(job.folder)
    if job.traps_of is not None:
        return trap_sets.of_import(job.traps_of, job.study)
    if job.upload is not None:
        whole = opened.enter_context(uploads_queries.assembled(job.upload))
        return opened.enter_context(uploaded.source(whole, list(job.upload.places()), archive_limits()))
    return ZipArchive(opened.enter_context(storage.open_file(job.archive)), archive_limits())


def _refuse_in_use(upload: Upload) -> None:
    """Lock an upload, and raise `Conflict` if an import has it or not all of it has come."""
    if not Upload.objects.select_for_update(no_key=True).filter(pk=upload.pk).exists():
        raise NotFound(_("There is no such upload."))
    if ClipImport.objects.filter(upload=upload).exists():
        raise Conflict(_("These files are being imported already."), code="in_use")
    if not uploads_queries.is_whole(upload):
        raise Conflict(_("The upload is not complete. Send the files again."), code="upload_incomplete")


def let_go(now: datetime) -> None:
    """Let go of the uploads of imports that are over: a worker may be killed before it does."""
    ClipImport.objects.filter(upload__isnull=False).exclude(state__in=[jobs.QUEUED, jobs.RUNNING]).update(upload=None)


def _failure(job: ClipImport, error: Exception) -> str:
    if job.is_conversion:
        return f"{_('The conversion failed, and no clip was changed.')} {jobs.explain(error)}"
    return f"{_('The import failed. Nothing was added.')} {jobs.explain(error)}"


def import_folder(
    *,
    study: Study,
    manifest_path: Path | None,
    root: Path | StoreFolder | TrapSet,
    manifest: bytes | None = None,
    questions_path: Path | None = None,
    golden_path: Path | None = None,
    user: User | None = None,
    choices: Choices = NO_CHOICES,
    now: Callable[[], datetime] = clock.now,
    progress: Progress | None = None,
) -> ClipImport:
    """Import from a folder or ZIP on this machine, the store, or a study's traps; raise `Invalid` before the start.

    `manifest` takes the place of the file at `manifest_path`; without either, the one in the folder is read.
    `progress` is called with (clips done, clips in all). Returns the finished job.
    """
    for path in (manifest_path, questions_path, golden_path):
        if path is not None and not path.is_file():
            raise Invalid(_("There is no file {path}.").format(path=path))
    if isinstance(root, Path) and not root.exists():
        raise Invalid(_("There is no folder {path}.").format(path=root))
    _refuse(study, asks=questions_path is not None or golden_path is not None, replaces=choices.replaces_known)
    files = Files(
        manifest or (manifest_path.read_bytes() if manifest_path else None),
        questions_path.read_bytes() if questions_path else None,
        golden_path.read_bytes() if golden_path else None,
    )
    # Without `queued_at`, the sweep ignores it.
    row = ClipImport.objects.create(
        study=study,
        created_by=user,
        created_at=now(),
        manifest_name=_short(manifest_path.name if manifest_path else root.name),
        archive_name=_short(root.name),
        **asdict(choices),
    )
    job = jobs.claim(ClipImport, row.pk, now())
    assert job is not None
    try:
        with ExitStack() as opened:
            work(job, files, lambda: opened.enter_context(source_of(root)), now=now, progress=progress)
    except TakenOver:
        raise Invalid(_("The import made no progress for too long and was stopped. Run it again.")) from None
    except DecoderBroken as error:
        jobs.finish(job, now(), error=_broken(error))
        raise Invalid(_broken(error)) from error
    except BaseException as error:
        text = _("The import failed: {error}").format(error=str(error) or type(error).__name__)
        busy.patiently(lambda: jobs.finish(job, now(), error=text))
        if busy.is_busy(error):
            raise Invalid(
                _("The database was busy for too long, and nothing was added. Run the import again.")
            ) from error
        raise
    if (conversion := renditions.waiting(study)) is not None:
        run_import(pk=conversion.pk, now=now)
    job.refresh_from_db()
    return job


@contextmanager
def source_of(root: Path | StoreFolder | TrapSet) -> Iterator[FileSource]:
    """Open a folder or a ZIP file on this machine; other sources are open. Raises `InvalidInput`."""
    if isinstance(root, StoreFolder | TrapSet):
        yield root
    elif root.is_dir():
        yield Folder(root)
    elif root.is_file():
        with root.open("rb") as file:
            yield ZipArchive(file, archive_limits())
    else:
        raise InvalidInput(_("There is no folder {path}.").format(path=root))


def _broken(error: DecoderBroken) -> str:
    return _("This server can’t decode sound: {error}. An administrator finds more with: {program} doctor").format(
        error=error, program=PROGRAM
    )


def archive_limits() -> ArchiveLimits:
    """Return what an archive may hold: four times the upload limit when unpacked."""
    return ArchiveLimits(total_bytes=4 * settings.UPLOAD_LIMIT_MB * MIB)


def _refuse(study: Study, *, asks: bool, replaces: bool) -> None:
    if study.state == Study.State.CLOSED:
        raise Invalid(_("The study is closed. Reopen it before you add clips."))
    if asks:
        refuse_unasked(study)
    if replaces:
        known_clips.refuse_launched(study)


def _size(upload: Sent) -> int:
    if isinstance(upload, bytes):
        return len(upload)
    if isinstance(upload, File):
        return upload.size
    here = upload.tell()
    size = upload.seek(0, 2)
    upload.seek(here)
    return size


def _kept(name: str) -> bytes | None:
    """Return the upload of this name, if there is one."""
    if not name:
        return None
    with storage.open_file(name) as file:
        return file.read()


def _put(upload: Sent) -> str:
    content: Any = upload
    return storage.put("uploads", content)


def _short(name: str) -> str:
    """Return the last part of a file's name, for showing."""
    return name.replace("\\", "/").rpartition("/")[2][-255:]


def failed(study_ids: Collection[int]) -> set[int]:
    """Return the studies whose newest import failed; one SELECT of a row for each import."""
    rows = ClipImport.objects.filter(study__in=study_ids).order_by("pk").values_list("study", "state")
    newest = dict(rows)
    return {study for study, state in newest.items() if state == jobs.FAILED}

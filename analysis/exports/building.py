"""Exports: requested, written by a worker in the background, the newest kept."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from analysis.data.hiding import scores_are_hidden
from analysis.data.models import Simulated
from analysis.exports import files
from analysis.exports.models import Export, Format, Layout, Profile
from analysis.exports.source import Source
from core import jobs
from core.errors import Conflict, Invalid, NotFound
from core.files import storage
from core.jobs import TakenOver, explain
from raters.rating import ratings
from studies.clips import black_box
from studies.definition import queries as definition_queries

if TYPE_CHECKING:
    from studies.definition.models import Study

# Files kept per study and kind of export; older ones can be requested again.
KEPT = 5
KIND = ("study_id", "simulated", "format", "layout", "profile", "is_blind", "without_words")
# The earliest date in a ZIP; fixed, so that the same files give the same bytes.
NO_DATE = (1980, 1, 1, 0, 0, 0)


@transaction.atomic
def request_export(
    *,
    study_id: int,
    simulated: Simulated,
    user: Any,
    now: datetime,
    format: Format = Format.CSV,  # noqa: A002
    layout: Layout = Layout.OWN,
    profile: Profile = Profile.ANALYSIS,
) -> Export:
    """Queue an export; returns an unfinished one for the same person and data instead of a second.

    Settles now whether scores and the words of black-box texts are left out for this person. Raises `Invalid` for
    options that don't go together.
    """
    study = definition_queries.study_of(study_id)
    is_blind = scores_are_hidden(study, user)
    refuse(format, layout, profile, is_blind=is_blind)
    kind = {
        "simulated": simulated,
        "format": format,
        "layout": layout,
        "profile": profile,
        "is_blind": is_blind,
        "without_words": bool(black_box.withheld(study, user)),
    }
    waiting = Export.objects.filter(
        study_id=study_id, created_by=user, state__in=[jobs.QUEUED, jobs.RUNNING], **kind
    ).first()
    return waiting or Export.objects.create(study_id=study_id, created_by=user, created_at=now, queued_at=now, **kind)


def refuse(format: Format, layout: Layout, profile: Profile, *, is_blind: bool) -> None:  # noqa: A002
    """Raise `Invalid` for options that don't go together, `Conflict` for hidden scores in other tools' files."""
    problems = {}
    if layout != Layout.OWN and format != Format.CSV:
        problems["format"] = _("Other tools read CSV: choose it, or Earshot’s own tables.")
    if layout != Layout.OWN and profile == Profile.PAYMENT:
        problems["layout"] = _("What is needed for payment holds no ratings: choose Earshot’s own tables.")
    if problems:
        raise Invalid(_("These can’t go together."), problems)
    if is_blind and layout != Layout.OWN:
        raise Conflict(
            _("Scores are hidden until the study is closed, and such files hold nothing else."), code="hidden"
        )


def build_export(*, pk: int, clock: Callable[[], datetime]) -> bool:
    """Write the tables and store them as one ZIP; False if another worker has the row.

    Errors are stored in the row for the user, and raised again for the worker's log.
    """
    export = jobs.claim(Export, pk, clock())
    if export is None:
        return False
    try:
        return _build(export, clock)
    except TakenOver:
        return False
    except Exception as error:
        jobs.finish(export, clock(), error=explain(error))
        raise


def _build(export: Export, clock: Callable[[], datetime]) -> bool:
    source = Source(
        definition_queries.study_of(export.study_id),
        Simulated(export.simulated),
        Format(export.format),
        Layout(export.layout),
        Profile(export.profile),
        export.is_blind,
        export.without_words,
    )
    total = ratings.count(export.study_id, source.simulated.flag)

    def report(rows: int) -> None:
        if not jobs.renew(export, clock(), done=min(rows, total), total=total):
            raise TakenOver

    with tempfile.TemporaryDirectory(prefix="earshot-export-") as scratch:
        folder, packed = Path(scratch) / "tables", Path(scratch) / "packed.zip"
        files.write(source, folder, report)
        with open(packed, "w+b") as target:
            pack(folder, target, f"{source.study.slug}-{source.simulated.value}")
            size = target.tell()
            target.seek(0)
            name = storage.put("exports", target)
    try:
        is_mine = jobs.finish(export, clock(), file=name, bytes=size, done=total, total=total)
    except Exception:
        storage.discard(name)
        raise
    if not is_mine:
        storage.discard(name)
        return False
    discard_old(export)
    return True


def pack(folder: Path, target: IO[bytes], inside: str) -> None:
    """Write all files of `folder`, recursively and sorted by name, into the ZIP `target` under the folder `inside`."""
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in files:
            path, entry = folder / name, zipfile.ZipInfo(f"{inside}/{name}", NO_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            # Fixed: otherwise the bytes would depend on the operating system.
            entry.create_system = 3
            with open(path, "rb") as source, archive.open(entry, "w", force_zip64=True) as packed:
                shutil.copyfileobj(source, packed, 1 << 20)


def discard_old(newest: Export) -> int:
    """Delete the files of all but the newest exports of one kind, and return how many; their rows stay."""
    kind = {name: getattr(newest, name) for name in KIND}
    rows = Export.objects.filter(state=jobs.DONE, **kind).exclude(file="")
    old = list(rows.order_by("-pk")[KEPT:])
    for export in old:
        # The file first: if this is interrupted, the row leads to it again. A file without a row would never be found.
        storage.discard(export.file)
        Export.objects.filter(pk=export.pk).update(file="", bytes=0)
    return len(old)


def has_withheld_words(export: Export, study: Study, user: Any) -> bool:
    """True if an export has words of black-box texts that this person may not see."""
    has_words = export.profile == Profile.ANALYSIS and not export.without_words
    return has_words and bool(black_box.withheld(study, user))


def exports(study_id: int) -> QuerySet[Export]:
    """Return a study's exports, newest first."""
    return Export.objects.filter(study_id=study_id).order_by("-pk")


def recent_exports(study_id: int, limit: int = 5) -> Sequence[Export]:
    return list(exports(study_id)[:limit])


def export(study_id: int, pk: int) -> Export:
    """Return one export of this study; raises `NotFound`."""
    row = exports(study_id).filter(pk=pk).first()
    if row is None:
        raise NotFound("There is no such export of this study.")
    return row

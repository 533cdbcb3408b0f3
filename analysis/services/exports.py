"""From a click on Download to a ZIP."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction

from analysis.exports import archive, files
from analysis.exports.source import Source
from analysis.models import Export, Simulated
from core import jobs, storage
from raters.selectors import ratings
from studies.selectors import overview


class TakenOver(Exception):
    """Another worker has this row now."""


@transaction.atomic
def request_export(*, study_id: int, simulated: Simulated, user: Any, now: datetime) -> Export:
    """Queue an export; one that is still on its way for the same person and data is returned instead of a second."""
    waiting = Export.objects.filter(
        study_id=study_id, simulated=simulated, created_by=user, state__in=[jobs.QUEUED, jobs.RUNNING]
    ).first()
    return waiting or Export.objects.create(
        study_id=study_id, simulated=simulated, created_by=user, created_at=now, queued_at=now
    )


def build_export(*, pk: int, clock: Callable[[], datetime]) -> bool:
    """Write the tables and store them as one ZIP; False when another worker has the row."""
    export = jobs.claim(Export, pk, clock())
    if export is None:
        return False
    source = Source(overview.study_of(export.study_id), Simulated(export.simulated))
    total = ratings.count(export.study_id, source.simulated.flag)

    def report(rows: int) -> None:
        if not jobs.renew(export, clock(), done=min(rows, total), total=total):
            raise TakenOver

    with tempfile.TemporaryDirectory(prefix="earshot-export-") as scratch:
        folder, packed = Path(scratch) / "tables", Path(scratch) / "packed.zip"
        try:
            files.write(source, folder, report)
        except TakenOver:
            return False
        with open(packed, "w+b") as target:
            archive.pack(folder, target, f"{source.study.slug}-{source.simulated.value}")
            size = target.tell()
            target.seek(0)
            name = storage.put("exports", target)
    if jobs.finish(export, clock(), file=name, bytes=size, done=total, total=total):
        return True
    storage.discard(name)
    return False

"""What happens to figures, exports and analyses when answers are deleted."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from analysis.exports.models import Export
from analysis.live.models import Snapshot
from analysis.metrics.models import Comparison
from analysis.planning.models import Look
from analysis.runs import analyses
from analysis.runs.models import Analysis
from core import jobs
from core.files import storage

# Running jobs of these may have read the answers being deleted.
UNDER_WAY = (Comparison, Export, Analysis, Look)


def forget_rows(study_id: int, raters: int, now: datetime) -> None:
    """Delete figures made from a study's answers, restart running jobs, and mark older analyses."""
    analyses.note_erasure(study_id=study_id, raters=raters, now=now)
    again: dict[str, Any] = {"state": jobs.QUEUED, "queued_at": now, "lease_until": None}
    _begin_again(study_id, **again)
    # Computed again from the remaining answers.
    rows = Comparison.objects.filter(study_id=study_id)
    rows.filter(state=jobs.DONE).update(**again, tries=0)
    rows.update(figures={}, clips=[])
    # A process of release 0.1 may just have stored them.
    Snapshot.objects.filter(study_id=study_id).delete()


def forget_files(study_id: int) -> None:
    """Delete the files of a study's exports; their rows stay, so that an export can be made again.

    Jobs that started before the deletion was committed have read the old rows, so they are restarted.
    """
    _begin_again(study_id, state=jobs.QUEUED, lease_until=None)
    for export in Export.objects.filter(study_id=study_id).exclude(file=""):
        # The file first: if this is interrupted, the row leads to it again. A file without a row would never be found.
        storage.discard(export.file)
        Export.objects.filter(pk=export.pk).update(file="", bytes=0)


def _begin_again(study_id: int, **again: Any) -> None:
    for model in UNDER_WAY:
        model._default_manager.filter(study_id=study_id, state=jobs.RUNNING).update(**again)

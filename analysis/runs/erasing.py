"""What happens to figures, exports and analyses when answers are deleted."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime
from typing import Any

from analysis.exports.models import Export
from analysis.exports.pseudonyms import Pseudonyms
from analysis.live.models import Snapshot
from analysis.metrics.models import Comparison
from analysis.planning.models import Look
from analysis.report import printing
from analysis.runs import analyses, translated
from analysis.runs.models import Analysis
from analysis.sections.results import UnreadableResults, load
from analysis.sections.shared import ERASED
from core import jobs
from core.files import storage
from studies.definition import queries as definition_queries

# Running jobs of these may have read the answers being deleted.
UNDER_WAY = (Comparison, Export, Analysis, Look)


def forget_rows(study_id: int, rater_id: int, now: datetime) -> None:
    """Delete figures made from a study's answers, restart running jobs, and mark older analyses."""
    analyses.note_erasure(study_id=study_id, now=now)
    _remove_name(study_id, rater_id)
    again: dict[str, Any] = {"state": jobs.QUEUED, "queued_at": now, "lease_until": None}
    _begin_again(study_id, **again)
    # Computed again from the remaining answers.
    rows = Comparison.objects.filter(study_id=study_id)
    rows.filter(state=jobs.DONE).update(**again, tries=0)
    rows.update(figures={}, clips=[])
    # A process of release 0.1 may just have stored them.
    Snapshot.objects.filter(study_id=study_id).delete()


def _remove_name(study_id: int, rater_id: int) -> None:
    """Replace the rater's pseudonym in all results, whichever section holds it, and mark documents made from them."""
    name = Pseudonyms(definition_queries.study_of(study_id).secret).rater(rater_id)
    for analysis in Analysis.objects.filter(study_id=study_id).select_for_update():
        results = json.dumps(analysis.results)
        if name in results:
            analysis.results = json.loads(results.replace(name, ERASED))
            analysis.files["outdated"] = analysis.files.pop("documents", {})
            analysis.save(update_fields=["results", "files"])


def forget_files(study_id: int) -> None:
    """Delete the files of a study's exports, and write reports again that name an erased rater.

    The rows of exports stay, so that an export can be made again.

    Jobs that started before the deletion was committed have read the old rows, so they are restarted.
    """
    _begin_again(study_id, state=jobs.QUEUED, lease_until=None)
    for export in Export.objects.filter(study_id=study_id).exclude(file=""):
        # The file first: if this is interrupted, the row leads to it again. A file without a row would never be found.
        storage.discard(export.file)
        Export.objects.filter(pk=export.pk).update(file="", bytes=0)
    for analysis in Analysis.objects.filter(study_id=study_id, files__has_key="outdated"):
        _write_again(analysis)


def _write_again(analysis: Analysis) -> None:
    """Replace the documents of an analysis; those of results that this release can't read are only deleted."""
    printing.discard(analysis.files.pop("outdated"))
    with suppress(UnreadableResults, FileNotFoundError):
        analysis.files["documents"] = printing.store(
            load(analysis.results),
            translated.definition(analysis),
            translated.drawn(analysis, "en"),
            translated.papers(analysis),
        )
    analysis.save(update_fields=["files"])


def _begin_again(study_id: int, **again: Any) -> None:
    for model in UNDER_WAY:
        model._default_manager.filter(study_id=study_id, state=jobs.RUNNING).update(**again)

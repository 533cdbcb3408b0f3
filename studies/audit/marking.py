"""Store with each clip how far it is from the other clips of its system, so that a list can be sorted by it."""

from __future__ import annotations

from django.db import transaction

from core.web import busy
from studies.audit import queries
from studies.audit.findings import comparable, thresholds
from studies.audit.models import ClipAudit
from studies.audit.outliers import outliers
from studies.clips.models import Clip
from studies.definition.models import Study

CHUNK = 1000
# The distance of a clip that can't be compared.
NONE = -1.0
FIELDS = ["outlier_measure", "outlier_by", "outlier_distance"]


def mark(study: Study) -> None:
    """Compare all measured clips of a study with their systems, and store what changed. Too slow for a page."""
    clips = [clip for clip in queries.clips(study) if clip.is_compared and clip.is_measured]
    away = outliers({clip.clip: comparable(clip) for clip in clips}, thresholds(study.definition.audit))
    rows = ClipAudit.objects.filter(clip__study=study).only("clip", *FIELDS).order_by("pk")
    changed: list[ClipAudit] = []
    for row in rows.iterator(CHUNK):
        outlier = away.get(row.clip_id)
        values = (outlier.measure, outlier.by, outlier.distance) if outlier else ("", None, None)
        if values != (row.outlier_measure, row.outlier_by, row.outlier_distance):
            row.outlier_measure, row.outlier_by, row.outlier_distance = values
            changed.append(row)
    for start in range(0, len(changed), CHUNK):
        _store(changed[start : start + CHUNK])


def _store(rows: list[ClipAudit]) -> None:
    def write() -> None:
        with transaction.atomic():
            ClipAudit.objects.bulk_update(rows, FIELDS)
            # The list of clips finds them by an index there.
            clips = [
                Clip(pk=row.clip_id, distance=NONE if row.outlier_distance is None else row.outlier_distance)
                for row in rows
            ]
            Clip.objects.bulk_update(clips, ["distance"])

    busy.patiently(write)

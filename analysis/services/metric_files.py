"""A file of machines' values becomes metric sets: all of them, or none."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from analysis.ingest.metrics import LIKENESS, Metric, Problem, read
from analysis.models import MetricSet
from analysis.services import metrics
from analysis.services.metrics import Given
from core.errors import Invalid
from studies.clips import queries as clips_queries


class BadFile(Invalid):
    """A file of which nothing was kept; `found` says what is wrong with which row."""

    def __init__(self, found: Sequence[Problem]) -> None:
        self.found = found
        super().__init__(_("Nothing was imported: the file has problems."))


@transaction.atomic
def import_file(
    *,
    study_id: int,
    content: bytes,
    file_name: str,
    name: str = "",
    direction: str = "",
    low: float | None = None,
    high: float | None = None,
    source: str = "",
    by: Any = None,
    now: datetime,
) -> list[MetricSet]:
    """Make a new set of each metric in the file. Raises `BadFile`, or `Invalid` for what was said beside the file.

    `name` renames a file's only metric; `direction` and scale hold for those metrics of which the file says none.
    """
    found = read(content, {label.file: clip for clip, label in clips_queries.labels(study_id).items()})
    if found.problems:
        raise BadFile(found.problems)
    if name and len(found.metrics) > 1:
        raise Invalid(_("The file has several metrics, which keep their own names."), {"name": _("Leave it empty.")})
    provenance = {"file": file_name, "file_sha256": hashlib.sha256(content).hexdigest()}
    made = []
    for metric in found.metrics.values():
        likeness = metric.name.startswith(LIKENESS)
        ends = _scale(metric, (low, high), likeness=likeness)
        new = metrics.create_set(
            study_id=study_id,
            name=name or metric.name,
            source=source or ("judge" if likeness else "import"),
            direction=metric.meant.get("direction") or direction or MetricSet.Direction.HIGHER,
            low=ends[0],
            high=ends[1],
            provenance={**metric.provenance, **provenance},
            by=by,
            now=now,
        )
        given = (Given(each.clip, each.value, each.failure, each.detail) for each in metric.values)
        metrics.put(set_id=new.pk, values=given)
        made.append(new)
    return made


def _scale(
    metric: Metric, said: tuple[float | None, float | None], *, likeness: bool
) -> tuple[float | None, float | None]:
    own = metric.number("low"), metric.number("high")
    if own != (None, None):
        return own
    return (0.0, 1.0) if likeness and said == (None, None) else said

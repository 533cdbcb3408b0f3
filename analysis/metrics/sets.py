"""Metric sets: created from a file or by a run, described, deleted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import isfinite
from typing import Any

from django.db import transaction
from django.db.models import Count, Q
from django.utils.translation import gettext as _

from analysis.metrics.models import ClipMetric, Comparison, MetricSet
from analysis.metrics.reading import LIKENESS, MetricRows, Problem, read
from core.errors import Invalid, NotFound
from studies.clips import queries as clips_queries
from studies.summaries import services as summaries

LONGEST_NAME = 100
AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Given:
    """One clip's value, or None with the reason; `detail` is stored with it as JSON."""

    clip: int
    value: float | None
    failure: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@transaction.atomic
def create_set(
    *,
    study_id: int,
    name: str,
    source: str = "",
    direction: str = MetricSet.Direction.HIGHER,
    low: float | None = None,
    high: float | None = None,
    provenance: Mapping[str, Any] | None = None,
    by: Any = None,
    now: datetime,
    active: bool = True,
) -> MetricSet:
    """Create an empty set; an inactive one is hidden until `finish`. Raises `Invalid`."""
    return MetricSet.objects.create(
        study_id=study_id,
        source=source,
        provenance=dict(provenance or {}),
        created_at=now,
        created_by=by,
        active=active,
        **described(name, direction, low, high),
    )


@transaction.atomic
def put(*, set_id: int, values: Iterable[Given]) -> int:
    """Store values, replacing those of the same clips, and return their number. Idempotent.

    Raises `NotFound` if the set has been deleted, `Invalid` for a value that is not finite.
    """
    metric_set = MetricSet.objects.select_for_update(no_key=True).filter(pk=set_id).first()
    if metric_set is None:
        raise NotFound("The metric was removed meanwhile.")
    rows = {}
    for clip_value in values:
        if clip_value.value is not None and not isfinite(clip_value.value):
            raise Invalid(_("A value of a clip is not a finite number."))
        failure = "" if clip_value.value is not None else clip_value.failure or _("no value")
        rows[clip_value.clip] = ClipMetric(
            metric_set_id=set_id,
            clip_id=clip_value.clip,
            value=clip_value.value,
            failure=failure,
            detail=dict(clip_value.detail),
        )
    known, scored = _counted(set_id, list(rows)) if metric_set.scored or metric_set.failed else (0, 0)
    ClipMetric.objects.bulk_create(
        rows.values(),
        batch_size=AT_ONCE,
        update_conflicts=True,
        unique_fields=["metric_set", "clip"],
        update_fields=["value", "failure", "detail"],
    )
    new = sum(row.value is not None for row in rows.values())
    metric_set.scored += new - scored
    metric_set.failed += len(rows) - new - (known - scored)
    metric_set.save(update_fields=["scored", "failed"])
    return len(rows)


def _counted(set_id: int, clips: Sequence[int]) -> tuple[int, int]:
    """Return the number of these clips in a set, and of those with a value."""
    known = scored = 0
    for start in range(0, len(clips), AT_ONCE):
        rows = ClipMetric.objects.filter(metric_set=set_id, clip__in=clips[start : start + AT_ONCE])
        counts = rows.aggregate(known=Count("pk"), scored=Count("value"))
        known, scored = known + counts["known"], scored + counts["scored"]
    return known, scored


def recount(study_id: int) -> None:
    """Recount the values of a study's sets, after they were deleted together with clips."""
    for pk in MetricSet.objects.filter(study_id=study_id).order_by("pk").values_list("pk", flat=True):
        with transaction.atomic():
            MetricSet.objects.select_for_update(no_key=True).filter(pk=pk).first()
            counts = ClipMetric.objects.filter(metric_set=pk).aggregate(known=Count("pk"), scored=Count("value"))
            MetricSet.objects.filter(pk=pk).update(scored=counts["scored"], failed=counts["known"] - counts["scored"])


@transaction.atomic
def finish(*, set_id: int) -> None:
    """Offer a set that a job has filled."""
    MetricSet.objects.filter(pk=set_id).update(active=True)


@transaction.atomic
def describe(*, metric_set: MetricSet, name: str, direction: str, low: float | None, high: float | None) -> None:
    """Change a set's name, direction and scale. Raises `Invalid`."""
    MetricSet.objects.filter(pk=metric_set.pk).update(**described(name, direction, low, high))
    summaries.outdate(metric_set.study)
    # Comparisons with the old direction or scale are wrong now.
    Comparison.objects.filter(Q(first=metric_set) | Q(second=metric_set)).delete()


@transaction.atomic
def remove(*, metric_set: MetricSet) -> None:
    """Delete a set with its values and comparisons."""
    metric_set.delete()


def described(name: str, direction: str, low: float | None, high: float | None) -> dict[str, Any]:
    """Validate a set's name, direction and scale. Raises `Invalid`."""
    name = name.strip()
    problems = {}
    if not 0 < len(name) <= LONGEST_NAME:
        problems["name"] = _("Give it a name of at most {number} characters.").format(number=LONGEST_NAME)
    if direction not in MetricSet.Direction.values:
        problems["direction"] = _("Say whether higher or lower is better.")
    if (low is None) != (high is None):
        problems["high" if high is None else "low"] = _("Give both ends of the scale, or none.")
    elif low is not None and high is not None and not (isfinite(low) and isfinite(high) and low < high):
        problems["high"] = _("The scale’s upper end must be above its lower end.")
    if problems:
        raise Invalid(" ".join(problems.values()), problems)
    return {"name": name, "direction": direction, "low": low, "high": high}


class BadFile(Invalid):
    """A file with problems, so nothing was imported; `found` lists the problems by row."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.found = problems
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
    """Create a set for each metric in the file. Raises `BadFile`, or `Invalid` for a wrong option.

    `name` renames a file's only metric; `direction` and scale apply to metrics for which the file gives none.
    """
    file = read(content, {label.file: clip for clip, label in clips_queries.labels(study_id).items()})
    if file.problems:
        raise BadFile(file.problems)
    if name and len(file.metrics) > 1:
        raise Invalid(_("The file has several metrics, which keep their own names."), {"name": _("Leave it empty.")})
    provenance = {"file": file_name, "file_sha256": hashlib.sha256(content).hexdigest()}
    sets = []
    for metric in file.metrics.values():
        likeness = metric.name.startswith(LIKENESS)
        ends = _scale(metric, (low, high), likeness=likeness)
        new = create_set(
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
        values = (Given(each.clip, each.value, each.failure, each.detail) for each in metric.values)
        put(set_id=new.pk, values=values)
        sets.append(new)
    return sets


def _scale(
    metric: MetricRows, bounds: tuple[float | None, float | None], *, likeness: bool
) -> tuple[float | None, float | None]:
    own = metric.number("low"), metric.number("high")
    if own != (None, None):
        return own
    return (0.0, 1.0) if likeness and bounds == (None, None) else bounds

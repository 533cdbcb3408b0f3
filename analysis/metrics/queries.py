"""Queries on metrics of clips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, QuerySet

from analysis.metrics.models import ClipMetric, DnsmosRun, MetricSet
from core.errors import NotFound
from studies.clips import figures as clip_figures
from studies.clips import queries as clips_queries
from studies.summaries.services import SummaryKind

if TYPE_CHECKING:
    from studies.definition.models import Study

CHUNK = 2000


class Value(NamedTuple):
    """One clip's value, or why it has none."""

    clip: int
    value: float | None
    failure: str
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Coverage:
    """A study's clips by their state in a set: with a value, failed, or missing."""

    scored: int
    failed: int
    missing: int


def sets(study_id: int, *, unfinished: bool = False) -> Sequence[MetricSet]:
    """Return a study's metric sets, newest first; `unfinished` adds those that a job is still filling."""
    rows = MetricSet.objects.filter(study_id=study_id)
    return list(rows if unfinished else rows.filter(active=True))


def metric_set(study_id: int, pk: int) -> MetricSet:
    """Return one set of this study; raises `NotFound`."""
    row = MetricSet.objects.filter(study_id=study_id, pk=pk).first()
    if row is None:
        raise NotFound("There is no such metric of this study.")
    return row


def values(set_id: int) -> dict[int, float]:
    """Return {clip: value} of the clips with a value; one SELECT."""
    rows = of_set(set_id).filter(value__isnull=False).values_list("clip_id", "value")
    return {clip: float(value) for clip, value in rows.iterator(CHUNK) if value is not None}


def details(set_id: int) -> list[Value]:
    """Return the values and failures of a set, by clip."""
    rows = of_set(set_id).order_by("clip_id").values_list("clip_id", "value", "failure", "detail")
    return [Value(*row) for row in rows.iterator(CHUNK)]


def failures(set_id: int, limit: int | None = None) -> dict[str, str]:
    """Return {file: why it has no value} for at most `limit` clips, ordered by file."""
    rows = of_set(set_id).filter(value=None).order_by("clip__file")
    return dict(rows.values_list("clip__file", "failure")[:limit])


def missing(of: MetricSet, limit: int | None = None) -> list[str]:
    """Return the files of at most `limit` of the study's clips that the set lacks, without withdrawn ones."""
    unknown = clips_queries.in_use(of.study_id).filter(~Exists(of_set(of.pk).filter(clip=OuterRef("pk"))))
    return list(unknown.order_by("file").values_list("file", flat=True)[:limit])


def _missing(study: Study, choice: str) -> list[str]:
    return missing(metric_set(study.pk, int(choice)), LISTED)


# The most clips listed as missing. The summary's choice is the key of a set.
LISTED = 200
MISSING = SummaryKind("metric_missing", list[str], _missing, clips_queries.all_of)


def last_dnsmos(study_id: int) -> DnsmosRun | None:
    return DnsmosRun.objects.filter(study_id=study_id).order_by("-pk").first()


def coverage(sets: Sequence[MetricSet], study_id: int) -> dict[int, Coverage]:
    """Return {set: coverage of the study's clips, without withdrawn ones}. Reads values only of withdrawn clips."""
    keys = [each.pk for each in sets]
    groups = clip_figures.groups(study_id, withdrawn=True)
    clips = sum(group.clips for group in groups if not group.is_withdrawn)
    out: dict[int, tuple[int, int]] = {}
    if any(group.is_withdrawn for group in groups):
        rows = ClipMetric.objects.filter(metric_set__in=keys, clip__in=clips_queries.withdrawn(study_id)).order_by()
        counts = rows.values_list("metric_set").annotate(known=Count("pk"), scored=Count("value"))
        out = {pk: (scored, known - scored) for pk, known, scored in counts}
    counted = {}
    for pk, all_scored, all_failed in MetricSet.objects.filter(pk__in=keys).values_list("pk", "scored", "failed"):
        scored, failed = out.get(pk, (0, 0))
        scored, failed = all_scored - scored, all_failed - failed
        counted[pk] = Coverage(scored, failed, clips - scored - failed)
    return counted


def trained_on(of: MetricSet) -> set[int]:
    """Return the clips in the metric's training data, matched by the hashes in its provenance."""
    hashes = set((of.provenance.get("training") or {}).get("clips", ()))
    if not hashes:
        return set()
    return {clip for clip, sha256 in of_set(of.pk).values_list("clip_id", "clip__sha256") if sha256 in hashes}


def dimensions_seen(of: MetricSet) -> set[str]:
    """Return the dimensions in the metric's training data."""
    return set((of.provenance.get("training") or {}).get("dimensions", ()))


def of_set(set_id: int) -> QuerySet[ClipMetric]:
    """Return all values and failures of one set."""
    return ClipMetric.objects.filter(metric_set=set_id)

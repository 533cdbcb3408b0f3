"""What a run said of each clip, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Count

from analysis.metrics import queries as metrics_queries
from judge.models import JudgeRun


class Scored(NamedTuple):
    """One clip's score, or why it has none: the judge's code and its sentence."""

    clip: int
    file: str
    value: float | None
    error: str
    message: str
    warnings: Sequence[str]


class Counted(NamedTuple):
    """How many clips of a run have a score, and how many were refused."""

    scored: int
    failed: int


def scores(run: JudgeRun, *, failed: bool = False, after: int | None = None, limit: int) -> Sequence[Scored]:
    """Return scores by clip, from the one behind `after`; with `failed` only clips that have none. One SELECT."""
    if run.metric_set_id is None:
        return []
    rows = metrics_queries.of_set(run.metric_set_id).order_by("clip_id")
    if failed:
        rows = rows.filter(value=None)
    if after is not None:
        rows = rows.filter(clip_id__gt=after)
    return [
        Scored(clip, file, value, str(detail.get("code", "")), message, detail.get("warnings", []))
        for clip, file, value, message, detail in rows.values_list(
            "clip_id", "clip__file", "value", "failure", "detail"
        )[:limit]
    ]


def counted(run: JudgeRun) -> Counted:
    """Return how many clips were scored and refused so far; one SELECT."""
    if run.metric_set_id is None:
        return Counted(0, 0)
    found = metrics_queries.of_set(run.metric_set_id).aggregate(known=Count("pk"), scored=Count("value"))
    return Counted(found["scored"], found["known"] - found["scored"])

"""Counts of answers by code, computed in SQL."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery

from raters.rating import monitor, ratings, rights
from raters.rating.models import ClipFailure, Rating
from raters.rating.monitor import Versions

CHUNK = 2000


class CodeCount(NamedTuple):
    """The number of times a clip got this code."""

    clip: int
    code: str
    times: int


def usable(study_id: int, simulated: bool | None, versions: Versions = None) -> QuerySet[Rating]:
    """Return the ratings in usable answers to test items, without ratings that belong to no clip."""
    rows = ratings.of_study(study_id, simulated, versions).filter(trial__item__role="test", trial__usable=True)
    return rows.filter(clip__isnull=False).order_by()


def answers(study_id: int, simulated: bool | None, versions: Versions = None) -> dict[int, int]:
    """Return {clip: number of usable answers}; one SELECT."""
    rows = usable(study_id, simulated, versions).values_list("clip_id")
    return dict(rows.annotate(number=Count("trial", distinct=True)).iterator(CHUNK))


def rows(study_id: int, simulated: bool | None, part: str, versions: Versions = None) -> dict[int, int]:
    """Return {clip: number of usable ratings of a part}; one SELECT."""
    usable_rows = usable(study_id, simulated, versions).filter(part=part).values_list("clip_id")
    return dict(usable_rows.annotate(number=Count("pk")).iterator(CHUNK))


def code_counts(
    study_id: int, simulated: bool | None, part: str, *, by_row: bool, versions: Versions = None
) -> Iterator[CodeCount]:
    """Count each code of a part by clip, by rating or by answer; one SELECT."""
    usable_rows = usable(study_id, simulated, versions).filter(part=part).values_list("clip_id", "code")
    counted = usable_rows.annotate(number=Count("pk") if by_row else Count("trial", distinct=True))
    return (CodeCount(*row) for row in counted.iterator(CHUNK))


def any_code_counts(
    study_id: int,
    simulated: bool | None,
    part: str,
    codes: Collection[str],
    *,
    by_row: bool,
    versions: Versions = None,
) -> dict[int, int]:
    """Return {clip: number of ratings or answers with any of these codes}; one SELECT."""
    usable_rows = usable(study_id, simulated, versions).filter(part=part, code__in=codes).values_list("clip_id")
    counted = usable_rows.annotate(number=Count("pk") if by_row else Count("trial", distinct=True))
    return dict(counted.iterator(CHUNK))


def golden_counts(study_id: int, simulated: bool | None, versions: Versions = None) -> dict[str, int]:
    """Count the golden questions answered, and those answered correctly; one SELECT."""
    answers_to_golden = ratings.of_study(study_id, simulated, versions).filter(part="golden")
    return answers_to_golden.aggregate(asked=Count("pk"), right=Count("pk", filter=Q(value__gt=0)))


def notes(study_id: int, simulated: bool | None, limit: int) -> tuple[int, list[dict[str, Any]]]:
    """Return the number of usable notes on test clips, and the first `limit` by system; at most two SELECTs.

    `comment_kind` is the code that the rater gave to the note, or None.
    """
    of_same = Rating.objects.filter(trial=OuterRef("trial"), question=OuterRef("question"), part="comment_kind")
    with_notes = usable(study_id, simulated).exclude(note="").filter(Q(question=None) | Q(question__golden=False))
    columns: dict[str, Any] = {
        "system": F("clip__system__name"),
        "heard": F("clip_id"),
        "prompt": F("question__prompt"),
        "task": F("clip__file"),
        "comment_kind": Subquery(of_same.values("code")[:1]),
        "rating": F("pk"),
    }
    rows: Any = with_notes.order_by("clip__system__name", "question_id", "pk").values("note", "code", **columns)
    listed = list(rows[: limit + 1])
    return (with_notes.count() if len(listed) > limit else len(listed)), listed[:limit]


def skipped(study_id: int, simulated: bool | None) -> Iterator[dict[str, Any]]:
    """Yield one row per trial that was skipped because a clip couldn't be played."""
    rows = ClipFailure.objects.filter(clip__study=study_id)
    rows = rows.exclude(trial__session__in=rights.deletion_requested(monitor.sessions_of(study_id, simulated)))
    rows = rows if simulated is None else rows.filter(trial__session__simulated=simulated)
    columns: Any = rows.order_by("pk").values("at", "sent_whole", file=F("clip__file"), **_trial("trial"))
    yield from columns


def has_skipped(study_id: int) -> bool:
    return ClipFailure.objects.filter(clip__study=study_id).exists()


def _trial(path: str) -> dict[str, Any]:
    return {
        "session_pk": F(f"{path}__session_id"),
        "rater_pk": F(f"{path}__rater_id"),
        "is_simulated": F(f"{path}__session__simulated"),
        "batch": F(f"{path}__batch__number"),
        "position_in_batch": F(f"{path}__position"),
    }

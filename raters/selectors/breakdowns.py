"""How often what was answered, counted by the database: codes of a part by clip, rules on raters, and their notes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from django.db.models import Count, F, Q, QuerySet

from raters.models import Rating, Verdict
from raters.selectors import monitor, ratings
from raters.selectors.monitor import Versions

CHUNK = 2000


class Given(NamedTuple):
    """How often a code of a part was given to a clip."""

    clip: int
    code: str
    times: int


def usable(study_id: int, simulated: bool | None, versions: Versions = None) -> QuerySet[Rating]:
    """Return the rows of usable answers to test items that are about a clip."""
    rows = ratings.of_study(study_id, simulated, versions).filter(trial__item__role="test", trial__usable=True)
    return rows.filter(clip__isnull=False).order_by()


def answers(study_id: int, simulated: bool | None, versions: Versions = None) -> dict[int, int]:
    """Return {clip: its usable answers}, whatever they hold; one SELECT."""
    rows = usable(study_id, simulated, versions).values_list("clip_id")
    return dict(rows.annotate(number=Count("trial", distinct=True)).iterator(CHUNK))


def rows(study_id: int, simulated: bool | None, part: str, versions: Versions = None) -> dict[int, int]:
    """Return {clip: its usable rows of a part}; one SELECT."""
    found = usable(study_id, simulated, versions).filter(part=part).values_list("clip_id")
    return dict(found.annotate(number=Count("pk")).iterator(CHUNK))


def given(
    study_id: int, simulated: bool | None, part: str, *, by_row: bool, versions: Versions = None
) -> Iterator[Given]:
    """Yield each code of a part by clip, counting rows, or answers that hold it; one SELECT."""
    found = usable(study_id, simulated, versions).filter(part=part).values_list("clip_id", "code")
    counted = found.annotate(number=Count("pk") if by_row else Count("trial", distinct=True))
    return (Given(*row) for row in counted.iterator(CHUNK))


def given_any(
    study_id: int,
    simulated: bool | None,
    part: str,
    codes: Collection[str],
    *,
    by_row: bool,
    versions: Versions = None,
) -> dict[int, int]:
    """Return {clip: how often any of these codes was given}; an answer with two of them counts once; one SELECT."""
    found = usable(study_id, simulated, versions).filter(part=part, code__in=codes).values_list("clip_id")
    counted = found.annotate(number=Count("pk") if by_row else Count("trial", distinct=True))
    return dict(counted.iterator(CHUNK))


def golden(study_id: int, simulated: bool | None, versions: Versions = None) -> dict[str, int]:
    """Return how many golden questions were answered, and how many rightly; one SELECT."""
    found = ratings.of_study(study_id, simulated, versions).filter(part="golden")
    return found.aggregate(asked=Count("pk"), right=Count("pk", filter=Q(value__gt=0)))


def ruled_out(study_id: int, simulated: bool | None, rule: str) -> int:
    """Return how many sessions a rule has cost; one SELECT."""
    active = Verdict.objects.filter(rule=rule, usable=False, revoked_at=None)
    sessions = monitor.sessions_of(study_id, simulated)
    return active.filter(session__in=sessions).values("session").distinct().count()


def notes(study_id: int, simulated: bool | None, limit: int) -> tuple[int, list[dict[str, Any]]]:
    """Return how many usable notes raters wrote on test clips, and the first by system; a SELECT, two above `limit`."""
    found = usable(study_id, simulated).exclude(note="").filter(Q(question=None) | Q(question__golden=False))
    columns = {
        "system": F("clip__system__name"),
        "heard": F("clip_id"),
        "prompt": F("question__prompt"),
        "rating": F("pk"),
    }
    rows: Any = found.order_by("clip__system__name", "question_id", "pk").values("note", "code", **columns)
    listed = list(rows[: limit + 1])
    return (found.count() if len(listed) > limit else len(listed)), listed[:limit]

"""What browsers said beside each answer, and which trials they could not play: tables for exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import F

from core.paging import keys
from raters.models import Answer, ClipFailure
from raters.reasons import writing
from raters.selectors import monitor, rights

SESSIONS = 500
HEARD = ("interrupted", "seeks", "speeds")


def answers(study_id: int, simulated: bool | None) -> Iterator[dict[str, Any]]:
    """Yield one row an answer, by session and order in it; a SELECT for every 500 sessions."""
    every = monitor.sessions_of(study_id, simulated)
    for sessions in keys(every.exclude(pk__in=rights.kept_out(every)), SESSIONS):
        rows = Answer.objects.filter(trial__batch__session__in=sessions)
        told = rows.values("evidence", flags=F("review_item__flags"), rules=F("review_item__rules"), **_trial("trial"))
        for row in told.order_by("trial__session_id", "trial__batch__number", "trial__position"):
            evidence = row["evidence"] if isinstance(row["evidence"], Mapping) else {}
            yield {**row, **_heard(evidence), **writing.columns(writing.of(evidence))}


def skipped(study_id: int, simulated: bool | None) -> Iterator[dict[str, Any]]:
    """Yield one row a trial that was skipped, since its clip could not be played."""
    rows = ClipFailure.objects.filter(clip__study=study_id)
    rows = rows.exclude(trial__session__in=rights.kept_out(monitor.sessions_of(study_id, simulated)))
    rows = rows if simulated is None else rows.filter(trial__session__simulated=simulated)
    found: Any = rows.order_by("pk").values("at", "sent_whole", file=F("clip__file"), **_trial("trial"))
    yield from found


def has_skipped(study_id: int) -> bool:
    """Say whether anybody ever skipped a clip here."""
    return ClipFailure.objects.filter(clip__study=study_id).exists()


def _trial(path: str) -> dict[str, Any]:
    return {
        "session_pk": F(f"{path}__session_id"),
        "rater_pk": F(f"{path}__rater_id"),
        "is_simulated": F(f"{path}__session__simulated"),
        "batch": F(f"{path}__batch__number"),
        "position_in_batch": F(f"{path}__position"),
    }


def _heard(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Return sums over the clips of a trial; empty where the browser said nothing of the kind."""
    clips = evidence.get("clips")
    told = [each for each in clips.values() if isinstance(each, Mapping)] if isinstance(clips, Mapping) else []
    hidden = _number(evidence.get("hidden_ms"))
    found: dict[str, Any] = {"hidden_seconds": None if hidden is None else hidden / 1000}
    for name in HEARD:
        numbers = [number for each in told if (number := _number(each.get(name))) is not None]
        found[name] = sum(numbers) if numbers else None
    return found


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None

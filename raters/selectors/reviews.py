"""The queue of reasons as one expert may see it: what waits, what is on a card, how far one is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, IntegerField, OuterRef, QuerySet, Value, When

from raters.models import Answer, Review, ReviewItem, ReviewSkip
from raters.selectors import queue
from studies.presets.definition import Review as Settings
from studies.selectors import pace as paces
from studies.selectors.experts import CardClip


@dataclass(frozen=True, slots=True)
class Card:
    """One answer as an expert sees it: no system, no rater, no flags; others' decisions where they differ."""

    key: str
    answers: tuple[tuple[str, str], ...]
    reason: str
    clips: tuple[tuple[CardClip, str], ...]
    decisions: tuple[tuple[str, str], ...] = ()


def in_scope(study_id: int, settings: Settings) -> QuerySet[ReviewItem]:
    """Return the items that the settings want reviewed."""
    return queue.in_scope(ReviewItem.objects.filter(study_id=study_id), settings)


def waiting(study_id: int, settings: Settings, user_id: int) -> QuerySet[ReviewItem]:
    """Return what this expert may decide, in order: disputed first, then at random; what they put off comes last."""
    own = queue.standing(Review).filter(answer=OuterRef("pk"))
    rank = Case(When(state=ReviewItem.State.DISPUTED, then=Value(0)), default=Value(1), output_field=IntegerField())
    order = ["rank", "-flagged"] if settings.mode == "flagged_first" else ["rank"]
    rows = in_scope(study_id, settings).annotate(rank=rank)
    return queue.open_to(rows, user_id, decided=own, skips=ReviewSkip.objects.filter(item=OuterRef("pk")), first=order)


def cards(items: Sequence[ReviewItem], clips: Mapping[int, list[CardClip]], keys: Mapping[int, str]) -> list[Card]:
    """Return the cards of these items, in their order."""
    pks = [item.pk for item in items]
    columns = ("pk", "reason", "trial__session__version_id")
    answers = {row[0]: row[1:] for row in Answer.objects.filter(pk__in=pks).values_list(*columns)}
    disputed = [item.pk for item in items if item.state == ReviewItem.State.DISPUTED]
    decisions = defaultdict(list)
    for answer, decision, note in (
        # By what was decided, since the order of deciding would tell the experts apart.
        Review.objects.filter(answer__in=disputed, revoked_at=None)
        .order_by("decision")
        .values_list("answer_id", "decision", "note")
    ):
        decisions[answer].append((decision, note))
    said = queue.labels_of({pk: version for pk, (_reason, version) in answers.items()})
    return [
        Card(
            key=item.key,
            answers=tuple(said[item.pk]),
            reason=answers[item.pk][0],
            clips=tuple((clip, keys[clip.clip]) for clip in clips[item.pk]),
            decisions=tuple(decisions[item.pk]),
        )
        for item in items
    ]


def pace(study_id: int, settings: Settings, user_id: int, now: datetime) -> paces.Pace:
    """Return how far everybody is, and how quick this expert; a handful of SELECTs."""
    scope = in_scope(study_id, settings)
    mine = queue.count(waiting(study_id, settings, user_id), settings)
    return paces.pace(
        _mine(study_id, user_id),
        done=scope.filter(state=ReviewItem.State.DONE).count(),
        # All that waits for one expert is left for all.
        left=mine if mine > queue.MOST_COUNTED else queue.count(scope.filter(queue.is_usable()), settings),
        waiting=mine,
        most=queue.MOST_COUNTED,
        now=now,
    )


def last_of(study_id: int, user_id: int) -> str:
    """Return the key of the decision that this expert made last; empty when there is none."""
    return paces.last_of(_mine(study_id, user_id))


def _mine(study_id: int, user_id: int) -> QuerySet[Review]:
    return Review.objects.filter(study_id=study_id, expert=user_id, revoked_at=None)


def flags_of(answer: int) -> list[str]:
    """Return the flags of an answer, for whoever has decided it."""
    found: Any = ReviewItem.objects.filter(pk=answer).values_list("flags", flat=True).first()
    return list(found or [])

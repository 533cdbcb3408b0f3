"""The queue of reasons as one expert may see it: what waits, what is on a card, how far one is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from django.db.models import Case, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When

from raters.models import Answer, Rating, Review, ReviewItem, ReviewSkip, TrialClip
from studies.presets.definition import Review as Settings
from studies.selectors import facts

# A longer time between two decisions was a break.
BREAK = timedelta(minutes=5)
RECENT = 50


class CardClip(NamedTuple):
    """A clip of an answer's trial: its text, and what the reader of that text needs to know."""

    clip: int
    place: int
    seconds: float
    text: str
    language: str


@dataclass(frozen=True, slots=True)
class Card:
    """One answer as an expert sees it: no system, no rater, no flags; others' decisions where they differ."""

    key: str
    answers: tuple[tuple[str, str], ...]
    reason: str
    clips: tuple[tuple[CardClip, str], ...]
    decisions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Pace:
    """How far the study and one expert are; `seconds` is the median between two decisions, None without any."""

    total: int
    done: int
    waiting: int
    mine: int
    today: int
    seconds: float | None


def reviewable(study_id: int, settings: Settings) -> QuerySet[Answer]:
    """Return the usable test answers with a reason: of real raters, and of simulated ones where that is set."""
    rows = Answer.objects.filter(
        trial__batch__session__study_id=study_id, trial__usable=True, trial__item__role="test"
    ).exclude(reason="")
    return rows if settings.simulated else rows.filter(trial__session__simulated=False)


def in_scope(study_id: int, settings: Settings) -> QuerySet[ReviewItem]:
    """Return the items that the settings want reviewed; what was begun is finished, whatever they say now."""
    rows = ReviewItem.objects.filter(study_id=study_id)
    if settings.mode == "off":
        return rows.none()
    if settings.mode == "share":
        rows = rows.filter(Q(draw__lt=settings.share) | ~Q(state=ReviewItem.State.OPEN))
    return rows if settings.simulated else rows.filter(simulated=False)


def waiting(study_id: int, settings: Settings, user_id: int) -> QuerySet[ReviewItem]:
    """Return what this expert may decide, in order: disputed first, then at random; what they put off comes last."""
    own = Review.objects.filter(answer=OuterRef("pk"), expert=user_id, revoked_at=None)
    put_off = ReviewSkip.objects.filter(item=OuterRef("pk"), expert=user_id).values("at")
    rank = Case(When(state=ReviewItem.State.DISPUTED, then=Value(0)), default=Value(1), output_field=IntegerField())
    order = ["-flagged", "draw"] if settings.mode == "flagged_first" else ["draw"]
    return (
        in_scope(study_id, settings)
        .filter(~Exists(own), answer__trial__usable=True)
        .exclude(state=ReviewItem.State.DONE)
        .filter(Q(answer__trial__session__opened_by=None) | ~Q(answer__trial__session__opened_by=user_id))
        .annotate(put_off=Subquery(put_off), rank=rank)
        .order_by(F("put_off").asc(nulls_first=True), "rank", *order)
    )


def clips_of(items: Iterable[ReviewItem]) -> dict[int, list[CardClip]]:
    """Return {answer: its trial's clips by place}; one SELECT."""
    found: dict[int, list[CardClip]] = defaultdict(list)
    rows = TrialClip.objects.filter(trial__in=[item.pk for item in items]).order_by("trial_id", "place")
    columns = ("clip_id", "place", "clip__duration", "clip__text__body", "clip__language")
    for trial, clip, place, seconds, text, language in rows.values_list("trial_id", *columns):
        found[trial].append(CardClip(clip, place, seconds, text or "", language))
    return found


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
    said = _said({pk: version for pk, (_reason, version) in answers.items()})
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


def _said(versions: Mapping[int, int]) -> dict[int, list[tuple[str, str]]]:
    """Return {answer: [(letter of the clip, or nothing where there is one; what was answered)]} for the scored part."""
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    places: dict[int, set[int | None]] = defaultdict(set)
    rows: list[tuple[int, int | None, str]] = []
    for trial, part, place, code in (
        Rating.objects.filter(trial__in=versions).order_by("pk").values_list("trial_id", "part", "place", "code")
    ):
        score = facts.frozen(versions[trial]).kind.score
        if part == score.part:
            rows.append((trial, place, str(score.codes.get(code, code))))
            places[trial].add(place)
    for trial, place, label in rows:
        is_alone = place is None or len(places[trial]) == 1
        found[trial].append(("" if is_alone or place is None else chr(ord("A") + place), label))
    return found


def pace(study_id: int, settings: Settings, user_id: int, now: datetime) -> Pace:
    """Return how far everybody is, and how quick this expert; a handful of SELECTs."""
    scope = in_scope(study_id, settings)
    open_answers = reviewable(study_id, settings)
    total = open_answers.count()
    if settings.mode == "share":
        # What was not taken up yet is counted once it is: its draw is not known to the database.
        total = scope.filter(Q(answer__trial__usable=True) | Q(state=ReviewItem.State.DONE)).count()
    else:
        total += scope.filter(state=ReviewItem.State.DONE).exclude(answer__trial__usable=True).count()
    mine = Review.objects.filter(study_id=study_id, expert=user_id, revoked_at=None)
    recent = list(mine.order_by("-at").values_list("at", flat=True)[:RECENT])
    gaps = [later - earlier for later, earlier in pairwise(recent)]
    seconds = [gap.total_seconds() for gap in gaps if gap < BREAK]
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return Pace(
        total=total,
        done=scope.filter(state=ReviewItem.State.DONE).count(),
        waiting=waiting(study_id, settings, user_id).count(),
        mine=mine.count(),
        today=mine.filter(at__gte=midnight).count(),
        seconds=median(seconds) if seconds else None,
    )


def last_of(study_id: int, user_id: int) -> str:
    """Return the key of the decision that this expert made last; empty when there is none."""
    mine = Review.objects.filter(study_id=study_id, expert=user_id, revoked_at=None)
    return mine.order_by("-at", "-pk").values_list("key", flat=True).first() or ""


def flags_of(answer: int) -> list[str]:
    """Return the flags of an answer, for whoever has decided it."""
    found: Any = ReviewItem.objects.filter(pk=answer).values_list("flags", flat=True).first()
    return list(found or [])

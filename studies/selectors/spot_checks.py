"""The queue of a spot check as one expert may see it: what waits, what is on a card, how far one is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    IntegerField,
    OuterRef,
    PositiveSmallIntegerField,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from studies.models import SpotClip, SpotDecision, SpotItem, SpotTurn
from studies.selectors import pace as paces
from studies.selectors.experts import CardClip


@dataclass(frozen=True, slots=True)
class Card:
    """One item as an expert sees it: no system, no voice, no file; others' decisions where they differ."""

    key: str
    kind: str
    clips: tuple[CardClip, ...]
    decisions: tuple[tuple[str, str], ...] = ()


def in_scope(study_id: int) -> QuerySet[SpotItem]:
    """Return what was decided, and what can be: all clips of it are still there."""
    lacks = SpotClip.objects.filter(item=OuterRef("pk")).filter(Q(clip=None) | Q(clip__withdrawn_at__isnull=False))
    return SpotItem.objects.filter(study_id=study_id).filter(Q(state=SpotItem.State.DONE) | ~Exists(lacks))


def waiting(study_id: int, user_id: int, now: datetime) -> QuerySet[SpotItem]:
    """Return what this expert may decide, in order: disputed first, then each kind at random; what they put off last.

    Where as many others as it takes have an item before them, it waits for them.
    """
    own = SpotDecision.objects.filter(item=OuterRef("pk"), expert=user_id, revoked_at=None)
    put_off = SpotTurn.objects.filter(item=OuterRef("pk"), expert=user_id).values("put_off_at")
    others = SpotTurn.objects.filter(item=OuterRef("pk"), held_until__gt=now).exclude(expert=user_id).order_by()
    held = others.values("item").annotate(number=Count("pk")).values("number")
    disputed = Q(state=SpotItem.State.DISPUTED)
    small = PositiveSmallIntegerField()
    return (
        in_scope(study_id)
        .exclude(state=SpotItem.State.DONE)
        .filter(~Exists(own))
        .annotate(
            put_off=Subquery(put_off),
            held=Coalesce(Subquery(held, output_field=IntegerField()), 0),
            free=Case(When(disputed, then=Value(1)), default=F("wanted") - F("given"), output_field=small),
            rank=Case(When(disputed, then=Value(0)), When(kind="success", then=Value(1)), default=Value(2)),
        )
        .filter(held__lt=F("free"))
        .order_by(F("put_off").asc(nulls_first=True), "rank", "order", "pk")
    )


def cards(items: Sequence[SpotItem], keys: Mapping[int, str]) -> list[Card]:
    """Return the cards of these items, in their order, under these keys."""
    pks = [item.pk for item in items]
    clips: dict[int, list[CardClip]] = defaultdict(list)
    columns = ("item_id", "clip_id", "clip__duration", "clip__text__body", "clip__language")
    rows = SpotClip.objects.filter(item__in=pks, clip__isnull=False).order_by("item_id", "place")
    for item, clip, seconds, text, language in rows.values_list(*columns):
        assert clip is not None
        clips[item].append(CardClip(clip, seconds, text or "", language))
    disputed = [item.pk for item in items if item.state == SpotItem.State.DISPUTED]
    said: dict[int, list[tuple[str, str]]] = defaultdict(list)
    # By what was said, since the order of deciding would tell the experts apart.
    decisions = SpotDecision.objects.filter(item__in=disputed, revoked_at=None).order_by("code")
    for item, code, note in decisions.values_list("item_id", "code", "note"):
        said[item].append((code, note))
    return [Card(keys[item.pk], item.kind, tuple(clips[item.pk]), tuple(said[item.pk])) for item in items]


def pace(study_id: int, user_id: int, now: datetime) -> paces.Pace:
    """Return how far everybody is, and how quick this expert; a handful of SELECTs."""
    scope = in_scope(study_id)
    return paces.pace(
        _mine(study_id, user_id),
        done=scope.filter(state=SpotItem.State.DONE).count(),
        left=scope.exclude(state=SpotItem.State.DONE).count(),
        waiting=waiting(study_id, user_id, now).count(),
        now=now,
    )


def last_of(study_id: int, user_id: int) -> str:
    """Return the key of the decision that this expert made last; empty when there is none."""
    return paces.last_of(_mine(study_id, user_id))


def _mine(study_id: int, user_id: int) -> QuerySet[SpotDecision]:
    return SpotDecision.objects.filter(item__study=study_id, expert=user_id, revoked_at=None)

"""The queue of the spot check: draw the sample, offer items to experts, decide and undo (rule E2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
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
from django.utils.translation import gettext as _

from core import rng
from core.errors import Conflict, Invalid, NotFound
from studies.definition.models import Study
from studies.pool import queries as pool_queries
from studies.rules.spot_checks import CODES, OTHER, standing
from studies.spot_checks import sample
from studies.spot_checks.experts import CardClip, played
from studies.spot_checks.models import SpotClip, SpotDecision, SpotItem, SpotTurn

if TYPE_CHECKING:
    from accounts.users.models import User


@dataclass(frozen=True, slots=True)
class SpotCheckCard:
    """One item for an expert, without system, voice and file; with others' decisions if they differ."""

    key: str
    kind: str
    clips: tuple[CardClip, ...]
    decisions: tuple[tuple[str, str], ...] = ()


def in_scope(study_id: int) -> QuerySet[SpotItem]:
    """Return the items that were decided, and those whose clips are all still in the study."""
    lacks = SpotClip.objects.filter(item=OuterRef("pk")).filter(Q(clip=None) | Q(clip__withdrawn_at__isnull=False))
    return SpotItem.objects.filter(study_id=study_id).filter(Q(state=SpotItem.State.DONE) | ~Exists(lacks))


def items_open_to(study_id: int, user_id: int, now: datetime) -> QuerySet[SpotItem]:
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


def cards(items: Sequence[SpotItem], keys: Mapping[int, str]) -> list[SpotCheckCard]:
    """Return the cards of these items, in their order, under these keys."""
    pks = [item.pk for item in items]
    clips: dict[int, list[CardClip]] = defaultdict(list)
    columns = ("item_id", "clip_id", "clip__duration", "clip__text__body", "clip__language")
    rows = SpotClip.objects.filter(item__in=pks, clip__isnull=False).order_by("item_id", "place")
    for item, clip, seconds, text, language in rows.values_list(*columns):
        assert clip is not None
        clips[item].append(CardClip(clip, seconds, text or "", language))
    disputed = [item.pk for item in items if item.state == SpotItem.State.DISPUTED]
    comments: dict[int, list[tuple[str, str]]] = defaultdict(list)
    # Sorted by content, since the order of decisions would identify the experts.
    decisions = SpotDecision.objects.filter(item__in=disputed, revoked_at=None).order_by("code")
    for item, code, note in decisions.values_list("item_id", "code", "note"):
        comments[item].append((code, note))
    return [SpotCheckCard(keys[item.pk], item.kind, tuple(clips[item.pk]), tuple(comments[item.pk])) for item in items]


def pace(study_id: int, user_id: int, now: datetime) -> pool_queries.Pace:
    """Return the progress of the spot check and the pace of this expert; a handful of SELECTs."""
    scope = in_scope(study_id)
    return pool_queries.pace(
        _mine(study_id, user_id),
        done=scope.filter(state=SpotItem.State.DONE).count(),
        left=scope.exclude(state=SpotItem.State.DONE).count(),
        waiting=items_open_to(study_id, user_id, now).count(),
        now=now,
    )


def last_of(study_id: int, user_id: int) -> str:
    """Return the key of the decision that this expert made last; empty when there is none."""
    return pool_queries.last_of(_mine(study_id, user_id))


def _mine(study_id: int, user_id: int) -> QuerySet[SpotDecision]:
    return SpotDecision.objects.filter(item__study=study_id, expert=user_id, revoked_at=None)


# How long an item is reserved for an expert; each decision renews it.
HELD_FOR = timedelta(minutes=15)
LONGEST_NOTE = 2000


def is_open(study: Study) -> bool:
    """Return whether the spot check is open: before the launch, if the study has one."""
    return study.is_draft and study.definition.spot_check.mode != "off"


def fill(*, study: Study) -> int:
    """Draw the missing items of the sample, and return their number."""
    if not is_open(study):
        return 0
    wanted = study.definition.spot_check.experts
    untouched = SpotItem.objects.filter(study=study, given=0).exclude(wanted=wanted)
    if untouched.exists():
        untouched.update(wanted=wanted)
    return _draw(study, wanted) if sample.missing(study) else 0


@transaction.atomic
def _draw(study: Study, wanted: int) -> int:
    # Locked, since two parallel calls would draw twice.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    new = sample.missing(study)
    items = SpotItem.objects.bulk_create(
        (
            SpotItem(
                study=study,
                system_id=unit.system,
                kind=unit.kind,
                order=unit.order,
                is_replacement=unit.is_replacement,
                wanted=wanted,
            )
            for unit in new
        ),
        batch_size=200,
    )
    SpotClip.objects.bulk_create(
        (
            SpotClip(item=item, place=place, clip_id=clip, about=about)
            for item, unit in zip(items, new, strict=True)
            for place, (clip, about) in enumerate(zip(unit.clips, unit.about, strict=True))
        ),
        batch_size=200,
    )
    return len(items)


@transaction.atomic
def offer(*, study: Study, user_id: int, now: datetime, count: int = 2, first: str = "") -> list[SpotCheckCard]:
    """Return the current and the next items of an expert; `first` is the key of the item to show first."""
    if not is_open(study):
        return []
    waiting = items_open_to(study.pk, user_id, now)
    mine = list(waiting.filter(turns__key=first, turns__expert=user_id)) if first else []
    items = [*mine, *waiting.exclude(pk__in=[item.pk for item in mine])[: count - len(mine)]]
    keys = {}
    for item in items:
        turn, _made = SpotTurn.objects.update_or_create(
            item=item,
            expert_id=user_id,
            defaults={"held_until": now + HELD_FOR},
            create_defaults={"held_until": now + HELD_FOR, "key": rng.token()},
        )
        keys[item.pk] = turn.key
    return cards(items, keys)


@transaction.atomic
def decide(*, study: Study, user: User, key: str, code: str, note: str = "", now: datetime) -> SpotDecision:
    """Store an expert's decision on the item with this key.

    The same decision sent again is the same row. Raises `Conflict` when the item was decided or withdrawn meanwhile,
    the study launched, or the expert has not played each clip.
    """
    note = note.strip()
    if len(note) > LONGEST_NOTE:
        long = _("Write at most {number} characters.").format(number=LONGEST_NOTE)
        raise Invalid(_("The note is too long."), {"note": long})
    known = SpotDecision.objects.filter(key=key, expert=user, item__study=study).first()
    if known is not None:
        if known.revoked_at is None and known.code == code:
            return known
        raise Conflict(_("You have already decided this one, perhaps in another tab."), code="already_decided")
    _expect_open(study)
    turn = _turn(study, user, key)
    item = SpotItem.objects.select_for_update(no_key=True).get(pk=turn.item_id)
    if code not in CODES[item.kind]:
        raise Invalid(_("Choose one of the answers."), {"decision": _("Unknown.")})
    if code == OTHER and not note:
        raise Invalid(_("Describe in the note what is wrong."), {"note": _("Write what is wrong.")})
    if not in_scope(study.pk).filter(pk=item.pk).exists():
        raise Conflict(_("This clip has been withdrawn. Here is the next one."), code="withdrawn")
    if item.state == SpotItem.State.DONE:
        raise Conflict(_("Somebody else has decided this one. Here is the next one."), code="decided")
    if SpotDecision.objects.filter(item=item, expert=user, revoked_at=None).exists():
        raise Conflict(_("You have already decided this one, perhaps in another tab."), code="already_decided")
    clips = list(item.clips.filter(clip__isnull=False).values_list("clip_id", flat=True))
    if len(played(user_id=user.pk, clips=clips)) < len(clips):
        raise Conflict(_("Play every clip first, then decide."), code="not_played")
    decision = SpotDecision.objects.create(
        item=item,
        expert=user,
        code=code,
        adjudicates=item.state == SpotItem.State.DISPUTED,
        note=note,
        key=key,
        shown={
            "kind": item.kind,
            "clips": [about["sha256"] for about in item.clips.order_by("place").values_list("about", flat=True)],
            "decisions": list(_standing(item).order_by("code").values_list("pk", flat=True))
            if item.state == SpotItem.State.DISPUTED
            else [],
        },
        at=now,
    )
    _follow(item)
    turn.held_until = None
    turn.save(update_fields=["held_until"])
    return decision


@transaction.atomic
def undo(*, study: Study, user: User, key: str, now: datetime) -> str:
    """Undo an expert's own decision, and return the new key of the item, if it is open to them.

    Raises `Conflict` when it was taken back before, when a third expert has settled it, or after the launch.
    """
    decision = SpotDecision.objects.filter(key=key, expert=user, item__study=study).first()
    if decision is None:
        raise NotFound(_("You have no such decision."))
    _expect_open(study)
    item = SpotItem.objects.select_for_update(no_key=True).get(pk=decision.item_id)
    decision.refresh_from_db()
    if decision.revoked_at is not None:
        raise Conflict(_("This decision has already been undone."), code="already_revoked")
    if not decision.adjudicates and _standing(item).filter(adjudicates=True).exists():
        raise Conflict(_("A third expert has made the final decision, so it can’t be changed."), code="adjudicated")
    decision.revoked_at = now
    decision.save(update_fields=["revoked_at"])
    _follow(item)
    turn = SpotTurn.objects.get(item=item, expert=user)
    turn.key, turn.held_until, turn.put_off_at = rng.token(), None, None
    turn.save(update_fields=["key", "held_until", "put_off_at"])
    is_theirs = items_open_to(study.pk, user.pk, now).filter(pk=item.pk).exists()
    return turn.key if is_theirs else ""


@transaction.atomic
def put_off(*, study: Study, user: User, key: str, now: datetime) -> None:
    """Move an item to the end of an expert's queue."""
    turn = _turn(study, user, key)
    turn.key, turn.held_until, turn.put_off_at = rng.token(), None, now
    turn.save(update_fields=["key", "held_until", "put_off_at"])


def _expect_open(study: Study) -> None:
    study.refresh_from_db(fields=["state", "draft"])
    if not is_open(study):
        raise Conflict(_("The spot check is closed: the study was launched, or has no spot check."), code="over")


def _turn(study: Study, user: User, key: str) -> SpotTurn:
    turn = SpotTurn.objects.filter(item__study=study, expert=user, key=key).first()
    if turn is None:
        raise Conflict(_("This page was out of date. Here is the next item."), code="lost")
    return turn


def _standing(item: SpotItem) -> QuerySet[SpotDecision]:
    return SpotDecision.objects.filter(item=item, revoked_at=None)


def _follow(item: SpotItem) -> None:
    """Update the state of a locked item from its valid decisions."""
    decisions = list(_standing(item).order_by("pk").values_list("code", "adjudicates"))
    plain = [code for code, adjudicates in decisions if not adjudicates]
    settled = next((code for code, adjudicates in decisions if adjudicates), "")
    item.state, item.outcome = standing(plain, item.wanted, settled)
    item.given = len(plain)
    item.save(update_fields=["state", "outcome", "given"])

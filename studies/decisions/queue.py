"""The queue of a kind: open items, their order, and everyone's progress."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise, product
from statistics import median
from typing import TYPE_CHECKING, Any, TypeVar

from django.db.models import Case, Exists, F, IntegerField, OuterRef, Q, QuerySet, Value, When

from studies.decisions import experts
from studies.decisions.bases import QueueItem
from studies.decisions.experts import CardClip
from studies.decisions.holding import OneHolder
from studies.decisions.kinds import Kind, QueueSettings

if TYPE_CHECKING:
    from studies.definition.models import Study

State = QueueItem.State
UNDECIDED = (State.OPEN, State.HALF, State.DISPUTED)
# Pages show "more than" above this, so that counting stays cheap.
MOST_COUNTED = 1000
# A longer pause between two decisions counts as a break.
BREAK = timedelta(minutes=5)
RECENT = 50


@dataclass(frozen=True, slots=True)
class Card:
    """One item as an expert sees it, with the keys of its clips, and others' decisions if they differ."""

    key: str
    shown: dict[str, Any]
    clips: tuple[tuple[CardClip, str], ...]
    decisions: tuple[tuple[str, str], ...] = ()


def in_scope(kind: Kind, study_id: int, settings: QueueSettings | None) -> QuerySet[Any]:
    """Return the items that the settings include, and all started ones, which are finished even if settings change."""
    rows = kind.scope(study_id)
    if settings is None:
        return rows
    if settings.mode == "off":
        return rows.none()
    if settings.mode == "share":
        rows = rows.filter(Q(draw__lt=settings.share) | ~Q(state=State.OPEN))
    return rows if settings.simulated else rows.filter(simulated=False)


def open_to(kind: Kind, study: Study, user_id: int, now: datetime) -> Any:
    """Return the items that this expert may decide, in order: disputed ones first, skipped ones last.

    Experts never get an item twice.
    """
    own = kind.decisions._default_manager.filter(**{kind.of_item: OuterRef("pk")}, expert=user_id, revoked_at=None)
    rank = Case(When(state=State.DISPUTED, then=Value(0)), default=Value(1), output_field=IntegerField())
    # Not "all except decided ones": the index finds these.
    rows = kind.allowed(in_scope(kind, study.pk, kind.settings(study)), user_id)
    rows = rows.filter(~Exists(own), state__in=UNDECIDED)
    rows = kind.holding.free(rows, user_id, now).annotate(rank=rank)
    return rows.order_by(F("put_off").asc(nulls_first=True), "rank", *kind.order(study))


def count(scope: QuerySet[Any], settings: QueueSettings | None, states: Iterable[str] = UNDECIDED) -> int:
    """Count items of the scope in these states; in a long queue, up to `MOST_COUNTED` + 1."""
    if settings is None:
        return scope.filter(state__in=states).count()
    total = 0
    for part in _parts(scope, settings, states):
        total += part.order_by("draw")[: MOST_COUNTED + 1 - total].count() if total <= MOST_COUNTED else 0
    return total


def following(kind: Kind, study: Study, user_id: int, waiting: QuerySet[Any], number: int) -> list[Any]:
    """Return the first `number` items of `waiting` for an expert, in order, without sorting all of a long queue."""
    settings = kind.settings(study)
    if settings is None:
        return list(waiting[:number])
    order = kind.order(study)
    by_flag = order[0] == "-flagged"
    fresh = waiting.filter(put_off=None)
    items: list[Any] = []
    for states in ((State.DISPUTED,), (State.HALF, State.OPEN)):
        if missing := number - len(items):
            heads: list[Any] = []
            for part in _parts(fresh, settings, states):
                heads += part.order_by(*order)[:missing]
            items += sorted(heads, key=lambda item: (by_flag and not item.flagged, item.draw))[:missing]
    if missing := number - len(items):
        assert isinstance(kind.holding, OneHolder)
        items += waiting.filter(pk__in=kind.holding.skips.filter(expert=user_id).values("item"))[:missing]
    return items


def _parts(scope: QuerySet[Any], settings: QueueSettings, states: Iterable[str]) -> Iterator[QuerySet[Any]]:
    """Split `scope` by state and origin, so that the queue's index gives the first items of each part.

    A queue can be as long as a study. PostgreSQL stops after the first rows only if each column before `draw` in the
    index has a single value; otherwise it may read all rows.
    """
    for state, is_simulated in product(states, (False, True) if settings.simulated else (False,)):
        part = scope.filter(state=state, simulated=is_simulated)
        is_share = settings.mode == "share" and state == State.OPEN
        yield part.filter(draw__lt=settings.share) if is_share else part


def offer(kind: Kind, *, study: Study, user_id: int, now: datetime, count: int = 2, first: str = "") -> list[Card]:
    """Return the expert's current and next item, held for `HELD_FOR`.

    `first` is the key of a held item that comes before all others.
    """
    if not kind.is_on(study):
        return []
    next_of = partial(following, kind, study, user_id)
    waiting = open_to(kind, study, user_id, now)
    held = kind.holding.hold(waiting, next_of, user_id=user_id, now=now, count=count, first=first)
    items = [item for item, _key in held]
    clips, shown, disputed = kind.clips(items), kind.shown(items), disputes(kind, items)
    keys = experts.audio_keys(user_id=user_id, clips={clip.clip for each in clips.values() for clip in each})
    return [
        Card(
            key,
            shown[item.pk],
            tuple((clip, keys[clip.clip]) for clip in clips[item.pk]),
            tuple(disputed[item.pk]),
        )
        for item, key in held
    ]


def disputes(kind: Kind, items: Sequence[Any]) -> dict[int, list[tuple[str, str]]]:
    """Return {item: its decisions with notes} of the disputed ones."""
    notes: dict[int, list[tuple[str, str]]] = defaultdict(list)
    if pks := [item.pk for item in items if item.state == State.DISPUTED]:
        rows = kind.decisions._default_manager.filter(**{f"{kind.of_item}__in": pks}, revoked_at=None)
        # Sorted by content: the order of decisions would identify the experts.
        for item, code, note in rows.order_by(kind.code).values_list(kind.of_item, kind.code, "note"):
            notes[item].append((code, note))
    return notes


@dataclass(frozen=True, slots=True)
class Pace:
    """Progress of the study and of one expert; `seconds` is the median between two decisions, None without any.

    With `is_more`, more items are left than were counted.
    """

    total: int
    done: int
    waiting: int
    is_more: bool
    mine: int
    today: int
    seconds: float | None


def pace(kind: Kind, study: Study, user_id: int, now: datetime) -> Pace:
    """Return everyone's progress and this expert's pace; a handful of SELECTs."""
    settings, mine = kind.settings(study), decided_by(kind, study, user_id)
    scope = in_scope(kind, study.pk, settings)
    waiting = count(open_to(kind, study, user_id, now), settings)
    # Items waiting for this expert stand for all.
    is_cut = settings is not None and waiting > MOST_COUNTED
    left = waiting if is_cut else count(kind.usable(scope), settings)
    is_more = settings is not None and left > MOST_COUNTED
    done = scope.filter(state=State.DONE).count()
    recent = list(mine.order_by("-at").values_list("at", flat=True)[:RECENT])
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return Pace(
        total=done + (MOST_COUNTED if is_more else left),
        done=done,
        waiting=waiting,
        is_more=is_more,
        mine=mine.count(),
        today=mine.filter(at__gte=midnight).count(),
        seconds=seconds_each(reversed(recent)),
    )


def seconds_each(moments: Iterable[datetime]) -> float | None:
    """Return the median seconds between consecutive moments, without breaks; None with fewer than two."""
    gaps = [later - earlier for earlier, later in pairwise(moments)]
    seconds = [gap.total_seconds() for gap in gaps if gap < BREAK]
    return median(seconds) if seconds else None


def decided_by(kind: Kind, study: Study, user_id: int) -> Any:
    """Return an expert's valid decisions."""
    rows = kind.decisions._default_manager.filter(**{kind.of_study: study.pk})
    return rows.filter(expert=user_id, revoked_at=None)


def last_of(kind: Kind, study: Study, user_id: int) -> str:
    """Return the key of an expert's newest valid decision; empty when there is none."""
    return decided_by(kind, study, user_id).order_by("-at", "-pk").values_list("key", flat=True).first() or ""


def by_expert(decisions: QuerySet[Any], column: str) -> Iterator[tuple[str, list[Any], int, float | None]]:
    """Yield each expert with `column` of their valid decisions, the number undone, and the seconds of each."""
    by_name: dict[str, list[Any]] = defaultdict(list)
    rows = decisions.order_by("expert__username", "at")
    for name, *decision in rows.values_list("expert__username", "at", "revoked_at", column):
        by_name[name].append(decision)
    for name, theirs in by_name.items():
        valid = [value for _at, revoked_at, value in theirs if revoked_at is None]
        yield name, valid, len(theirs) - len(valid), seconds_each(at for at, _revoked_at, _value in theirs)


Decided = TypeVar("Decided", bound=Hashable)


def pairs(rows: Iterable[tuple[int, Decided]]) -> list[tuple[Decided, Decided]]:
    """Return the decisions of two experts on the same item; of `rows` (item, decision), earlier ones come first."""
    decisions: dict[int, list[Decided]] = defaultdict(list)
    for item, decision in rows:
        decisions[item].append(decision)
    return [(each[0], each[1]) for each in decisions.values() if len(each) == 2]

"""What every queue for experts has: what is open to one of them, what a card shows, and who holds what."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import product
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from core import rng
from core.errors import Conflict
from raters.experts.models import ExpertDecision, QueueItem
from raters.rating.models import Answer, Rating, Trial, TrialClip
from studies.definition import facts
from studies.pool import queries as pool_queries
from studies.spot_checks.experts import CardClip

if TYPE_CHECKING:
    from studies.definition.models import Study

Item = TypeVar("Item", bound=QueueItem)
State = QueueItem.State
UNDECIDED = (State.OPEN, State.HALF, State.DISPUTED)
# Pages show "more than" beyond this, so that a count never costs more.
MOST_COUNTED = 1000


class QueueSettings(Protocol):
    """What settings of a queue say about its extent."""

    @property
    def mode(self) -> str: ...
    @property
    def share(self) -> float: ...
    @property
    def simulated(self) -> bool: ...


def reasons(study_id: int, settings: QueueSettings) -> QuerySet[Answer]:
    """Return the usable test answers with a reason: of real raters, and of simulated ones where that is set."""
    rows = Answer.objects.filter(
        trial__batch__session__study_id=study_id, trial__usable=True, trial__item__role="test"
    ).exclude(reason="")
    return rows if settings.simulated else rows.filter(trial__session__simulated=False)


def in_scope(rows: QuerySet[Item], settings: QueueSettings) -> QuerySet[Item]:
    """Return the items that the settings include; items already started are finished even if the settings change."""
    if settings.mode == "off":
        return rows.none()
    if settings.mode == "share":
        rows = rows.filter(Q(draw__lt=settings.share) | ~Q(state=State.OPEN))
    return rows if settings.simulated else rows.filter(simulated=False)


def is_usable() -> Exists:
    """Return the condition that an item's answer is usable; joining the answer would cost twice as much."""
    return Exists(Trial.objects.filter(pk=OuterRef("answer_id"), usable=True))


def count(scope: QuerySet[Any], settings: QueueSettings, states: Iterable[str] = UNDECIDED) -> int:
    """Return how many items of the scope are in these states, counting up to `MOST_COUNTED` + 1."""
    total = 0
    for part in _parts(scope, settings, states):
        total += part.order_by("draw")[: MOST_COUNTED + 1 - total].count() if total <= MOST_COUNTED else 0
    return total


def pace(
    mine: QuerySet[Any], *, scope: QuerySet[Any], is_open: QuerySet[Any], settings: QueueSettings, now: datetime
) -> pool_queries.Pace:
    """Return how far everybody is, and how quick the expert whose decisions are `mine`; a handful of SELECTs."""
    waiting = count(is_open, settings)
    return pool_queries.pace(
        mine,
        done=scope.filter(state=QueueItem.State.DONE).count(),
        # All that waits for one expert is left for all.
        left=waiting if waiting > MOST_COUNTED else count(scope.filter(is_usable()), settings),
        waiting=waiting,
        most=MOST_COUNTED,
        now=now,
    )


def first(waiting: QuerySet[Item], number: int, *, skips: QuerySet[Any], settings: QueueSettings) -> list[Item]:
    """Return the first `number` items of `waiting` for an expert, in order, without sorting all of them.

    `skips` are those of this expert.
    """
    by_flag = settings.mode == "flagged_first"
    order = ("-flagged", "draw") if by_flag else ("draw",)
    fresh = waiting.filter(put_off=None)
    items: list[Any] = []
    for states in ((State.DISPUTED,), (State.HALF, State.OPEN)):
        if missing := number - len(items):
            heads: list[Any] = []
            for part in _parts(fresh, settings, states):
                heads += part.order_by(*order)[:missing]
            items += sorted(heads, key=lambda item: (by_flag and not item.flagged, item.draw))[:missing]
    if missing := number - len(items):
        items += waiting.filter(pk__in=skips.values("item"))[:missing]
    return items


def _parts(scope: QuerySet[Item], settings: QueueSettings, states: Iterable[str]) -> Iterator[QuerySet[Item]]:
    """Yield the items of the scope in parts, each a range of the queue's index, which has them by their draws.

    A queue is as long as a study. PostgreSQL reads just the beginning of a range as long as the order is the index's
    and every column before it has one value; otherwise it may read all.
    """
    for state, is_simulated in product(states, (False, True) if settings.simulated else (False,)):
        part = scope.filter(state=state, simulated=is_simulated)
        is_share = settings.mode == "share" and state == State.OPEN
        yield part.filter(draw__lt=settings.share) if is_share else part


def open_to(
    rows: QuerySet[Item], user_id: int, *, decided: QuerySet[Any], skips: QuerySet[Any], first: Collection[Any] = ()
) -> QuerySet[Item]:
    """Return the items that this expert may decide, in order; skipped ones come last.

    `decided` are valid decisions on the outer item, `skips` say when it was skipped. Experts never get an item twice,
    one that they rated themselves, or one that is excluded.
    """
    items: Any = (
        rows.filter(~Exists(decided.filter(expert=user_id)), answer__trial__usable=True)
        # Not "all but decided ones": the index finds these.
        .filter(state__in=UNDECIDED)
        .filter(Q(answer__trial__session__opened_by=None) | ~Q(answer__trial__session__opened_by=user_id))
        .annotate(put_off=Subquery(skips.filter(expert=user_id).values("at")))
        .order_by(F("put_off").asc(nulls_first=True), *first, "draw")
    )
    return cast(QuerySet[Item], items)


def standing(decisions: type[ExpertDecision]) -> QuerySet[Any]:
    """Return the decisions that were not taken back."""
    return decisions._default_manager.filter(revoked_at=None)


def clips_of(answers: Collection[int]) -> dict[int, list[CardClip]]:
    """Return {answer: its trial's clips by place}; one SELECT."""
    clips: dict[int, list[CardClip]] = defaultdict(list)
    rows = TrialClip.objects.filter(trial__in=answers).order_by("trial_id", "place")
    columns = ("clip_id", "clip__duration", "clip__text__body", "clip__language")
    for trial, clip, seconds, text, language in rows.values_list("trial_id", *columns):
        clips[trial].append(CardClip(clip, seconds, text or "", language))
    return clips


def labels_of(versions: Mapping[int, int]) -> dict[int, list[tuple[str, str]]]:
    """Return {answer: [(letter of the clip, or nothing where there is one; what was answered)]} for the scored part.

    `versions` are the versions under which the answers were given.
    """
    labels: dict[int, list[tuple[str, str]]] = defaultdict(list)
    places: dict[int, set[int | None]] = defaultdict(set)
    rows: list[tuple[int, int | None, str]] = []
    for trial, part, place, code in (
        Rating.objects.filter(trial__in=versions).order_by("pk").values_list("trial_id", "part", "place", "code")
    ):
        score = facts.frozen(versions[trial]).kind.score
        if part == score.part:
            rows.append((trial, place, _(score.codes[code]) if code in score.codes else code))
            places[trial].add(place)
    for trial, place, label in rows:
        is_alone = place is None or len(places[trial]) == 1
        labels[trial].append(("" if is_alone or place is None else chr(ord("A") + place), label))
    return labels


def of_answer(path: str) -> dict[str, Any]:
    """Return the export columns of the answer at `path` (`answer`, `item__answer`), for `values()`."""
    trial = f"{path}__trial__"
    first = TrialClip.objects.filter(trial=OuterRef(f"{path}_id"), place=0)
    return {
        "session_pk": F(f"{trial}session_id"),
        "rater_pk": F(f"{trial}rater_id"),
        "batch_number": F(f"{trial}batch__number"),
        "position": F(f"{trial}position"),
        "file": Subquery(first.values("clip__file")),
        "is_simulated": F(f"{trial}session__simulated"),
        "usable": F(f"{trial}usable"),
    }


# How long an expert holds an item; each decision renews it.
HELD_FOR = timedelta(minutes=15)
LONGEST_NOTE = 2000
TRIES = 20


def draws(queue: str, secret: str, *what: object) -> tuple[float, float]:
    """Return an item's two numbers in [0, 1): unpredictable without the study's secret."""
    digest = hashlib.sha256("|".join(map(str, (queue, secret, *what))).encode()).digest()
    return int.from_bytes(digest[:6]) / 2**48, int.from_bytes(digest[6:12]) / 2**48


def hold_items(
    waiting: QuerySet[Item],
    following: Callable[[QuerySet[Item], int], Sequence[Item]],
    *,
    user_id: int,
    now: datetime,
    count: int,
    first: str = "",
) -> Sequence[Item]:
    """Renew the items that this expert holds, and hold more if these are not enough.

    `following` returns the first so many of what waits.
    """
    rows = waiting.model._default_manager.all()
    # What was taken back may be one more than the two that are on the page.
    mine = sorted(waiting.filter(holder=user_id).exclude(key=""), key=lambda item: item.key != first)
    rows.filter(pk__in=[item.pk for item in mine], holder=user_id).update(held_until=now + HELD_FOR)
    is_free = Q(holder=None) | Q(held_until__lte=now)
    for _try in range(TRIES):
        if len(mine) >= count:
            break
        candidates = following(waiting.filter(is_free).exclude(pk__in=[item.pk for item in mine]), count - len(mine))
        if not candidates:
            break
        for item in candidates:
            new = {"key": rng.token(), "holder": user_id, "held_until": now + HELD_FOR}
            # Another expert may have taken it in the same moment.
            if rows.filter(is_free, pk=item.pk, state=item.state).update(**new):
                item.key = str(new["key"])
                mine.append(item)
    return mine


def item_held_by(rows: QuerySet[Item], *, study: Study, user_id: int, key: str) -> Item:
    """Return the item that this key names for this expert; raises `Conflict`."""
    item = rows.filter(study=study, key=key, holder=user_id).first() if key else None
    if item is None:
        raise Conflict(_("Somebody else is working on this one. Here is the next one."), code="lost")
    return item


def put_off(items: type[Item], skips: type[Any], *, study: Study, user_id: int, key: str, now: datetime) -> None:
    """Skip an item: others may take it, and this expert sees it again after everything else."""
    with transaction.atomic():
        rows = items._default_manager.select_for_update(no_key=True)
        item = item_held_by(rows, study=study, user_id=user_id, key=key)
        skips._default_manager.update_or_create(item=item, expert_id=user_id, defaults={"at": now})
        release(item)


def release(item: QueueItem) -> None:
    """Let go of a locked item."""
    item.key, item.holder, item.held_until = "", None, None
    item.save(update_fields=["key", "holder", "held_until"])


def hold_again(item: QueueItem, *, user_id: int, now: datetime) -> bool:
    """Hold a locked item for this expert again unless somebody else holds it; return whether it is theirs."""
    if item.holder_id not in (None, user_id) and item.held_until is not None and item.held_until > now:
        return False
    item.key, item.holder_id, item.held_until = rng.token(), user_id, now + HELD_FOR
    item.save(update_fields=["key", "holder", "held_until"])
    return True

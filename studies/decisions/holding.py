"""Who holds which item, for how long, and under which key: two ways with the same methods.

- `free`: of these rows, those that an expert may be offered, with `put_off`: the time they skipped them.
- `hold`: hold the first items for an expert; return them with their keys.
- `find`: the item of a key; raises `Conflict`.
- `release`, `skip`: release a locked item; skip it: offer it to this expert after everything else.
- `again`: hold a locked item after its decision was undone; return its new key, empty if it isn't theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Case, Count, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from core import rng
from core.errors import Conflict
from studies.decisions.bases import QueueItem

# How long an expert holds an item; each decision renews it.
HELD_FOR = timedelta(minutes=15)
TRIES = 20
# Returns the first items of these rows in the queue's order.
Following = Callable[[QuerySet[Any], int], Sequence[Any]]


class OneHolder:
    """One expert at a time holds an item; its row names them (`QueueItem`)."""

    def __init__(self, skips: type[Any]) -> None:
        self.skips: Any = skips._default_manager

    def free(self, rows: Any, user_id: int, now: datetime) -> Any:
        skips = self.skips.filter(item=OuterRef("pk"), expert=user_id)
        return rows.annotate(put_off=Subquery(skips.values("at")))

    def hold(
        self, waiting: QuerySet[Any], following: Following, *, user_id: int, now: datetime, count: int, first: str
    ) -> list[tuple[Any, str]]:
        rows = waiting.model._default_manager.all()
        # An undone decision may add one to the two items on the page.
        mine = sorted(waiting.filter(holder=user_id).exclude(key=""), key=lambda item: item.key != first)
        rows.filter(pk__in=[item.pk for item in mine], holder=user_id).update(held_until=now + HELD_FOR)
        is_free = Q(holder=None) | Q(held_until__lte=now)
        for _try in range(TRIES):
            if len(mine) >= count:
                break
            others = waiting.filter(is_free).exclude(pk__in=[item.pk for item in mine])
            if not (candidates := following(others, count - len(mine))):
                break
            for item in candidates:
                new = {"key": rng.token(), "holder": user_id, "held_until": now + HELD_FOR}
                # Another expert may have taken it at the same moment.
                if rows.filter(is_free, pk=item.pk, state=item.state).update(**new):
                    item.key = str(new["key"])
                    mine.append(item)
        return [(item, item.key) for item in mine]

    def find(self, rows: QuerySet[Any], user_id: int, key: str) -> Any:
        item = rows.filter(key=key, holder=user_id).first() if key else None
        if item is None:
            raise Conflict(_("Somebody else is working on this one. Here is the next one."), code="lost")
        return item

    def release(self, item: QueueItem, user_id: int) -> None:
        item.key, item.holder, item.held_until = "", None, None
        item.save(update_fields=["key", "holder", "held_until"])

    def skip(self, item: QueueItem, user_id: int, now: datetime) -> None:
        self.skips.update_or_create(item=item, expert_id=user_id, defaults={"at": now})
        self.release(item, user_id)

    def again(self, item: QueueItem, user_id: int, now: datetime, *, is_open: bool) -> str:
        is_others = item.holder_id not in (None, user_id) and item.held_until is not None and item.held_until > now
        if not is_open or is_others:
            return ""
        item.key, item.holder_id, item.held_until = rng.token(), user_id, now + HELD_FOR
        item.save(update_fields=["key", "holder", "held_until"])
        return item.key


class Turns:
    """As many experts may hold an item as it still needs (`wanted`, `given`), each by a row with a key."""

    def __init__(self, turns: type[Any]) -> None:
        self.turns: Any = turns._default_manager

    def free(self, rows: Any, user_id: int, now: datetime) -> Any:
        put_off = self.turns.filter(item=OuterRef("pk"), expert=user_id).values("put_off_at")
        others = self.turns.filter(item=OuterRef("pk"), held_until__gt=now).exclude(expert=user_id).order_by()
        held = others.values("item").annotate(number=Count("pk")).values("number")
        small = IntegerField()
        needed = Case(When(state="disputed", then=Value(1)), default=F("wanted") - F("given"), output_field=small)
        held_by_others = Coalesce(Subquery(held, output_field=small), 0)
        return rows.annotate(put_off=Subquery(put_off), held=held_by_others, needed=needed).filter(held__lt=F("needed"))

    @transaction.atomic
    def hold(
        self, waiting: QuerySet[Any], following: Following, *, user_id: int, now: datetime, count: int, first: str
    ) -> list[tuple[Any, str]]:
        items = list(waiting.filter(turns__key=first, turns__expert=user_id)) if first else []
        items += following(waiting.exclude(pk__in=[item.pk for item in items]), count - len(items))
        held = {"held_until": now + HELD_FOR}
        keys = []
        for item in items:
            new = {**held, "key": rng.token()}
            who = {"item": item, "expert_id": user_id}
            keys.append(self.turns.update_or_create(**who, defaults=held, create_defaults=new)[0].key)
        return list(zip(items, keys, strict=True))

    def find(self, rows: QuerySet[Any], user_id: int, key: str) -> Any:
        turn = self.turns.filter(expert=user_id, key=key).first()
        item = rows.filter(pk=turn.item_id).first() if turn is not None else None
        if item is None:
            raise Conflict(_("This page was out of date. Here is the next item."), code="lost")
        return item

    def release(self, item: Any, user_id: int) -> None:
        self._change(item, user_id, held_until=None)

    def skip(self, item: Any, user_id: int, now: datetime) -> None:
        self._change(item, user_id, key=rng.token(), held_until=None, put_off_at=now)

    def again(self, item: Any, user_id: int, now: datetime, *, is_open: bool) -> str:
        # The old key belongs to the decision.
        key = rng.token()
        self._change(item, user_id, key=key, held_until=None, put_off_at=None)
        return key if is_open else ""

    def _change(self, item: Any, user_id: int, **columns: Any) -> None:
        self.turns.filter(item=item, expert=user_id).update(**columns)


Holding = OneHolder | Turns

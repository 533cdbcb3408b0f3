"""Who has what of a queue: take, keep, let go and put off. The first to write has it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from core import rng
from core.errors import Conflict
from raters.models.queue import Queued

if TYPE_CHECKING:
    from studies.models import Study

# So long an expert keeps what they look at; each decision gives it anew.
HELD_FOR = timedelta(minutes=15)
LONGEST_NOTE = 2000
TRIES = 20
Item = TypeVar("Item", bound=Queued)


def draws(queue: str, secret: str, *what: object) -> tuple[float, float]:
    """Return an item's two numbers in [0, 1): nobody who lacks the study's secret can foresee them."""
    made = hashlib.sha256("|".join(map(str, (queue, secret, *what))).encode()).digest()
    return int.from_bytes(made[:6]) / 2**48, int.from_bytes(made[6:12]) / 2**48


def take(
    waiting: QuerySet[Item],
    following: Callable[[QuerySet[Item], int], Sequence[Item]],
    *,
    user_id: int,
    now: datetime,
    count: int,
    first: str = "",
) -> Sequence[Item]:
    """Renew what this expert holds of what waits for them, and take more where that is not enough.

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
        found = following(waiting.filter(is_free).exclude(pk__in=[item.pk for item in mine]), count - len(mine))
        if not found:
            break
        for item in found:
            new = {"key": rng.token(), "holder": user_id, "held_until": now + HELD_FOR}
            # Somebody else may have looked at the same moment.
            if rows.filter(is_free, pk=item.pk, state=item.state).update(**new):
                item.key = str(new["key"])
                mine.append(item)
    return mine


def held(rows: QuerySet[Item], *, study: Study, user_id: int, key: str) -> Item:
    """Return the item that this key names for this expert; raises `Conflict`."""
    found = rows.filter(study=study, key=key, holder=user_id).first() if key else None
    if found is None:
        raise Conflict(_("Somebody else has this one by now. Here is the next."), code="lost")
    return found


def put_off(items: type[Item], skips: type[Any], *, study: Study, user_id: int, key: str, now: datetime) -> None:
    """Let somebody else have an item; it comes to this expert again after everything else."""
    with transaction.atomic():
        rows = items._default_manager.select_for_update(no_key=True)
        item = held(rows, study=study, user_id=user_id, key=key)
        skips._default_manager.update_or_create(item=item, expert_id=user_id, defaults={"at": now})
        free(item)


def free(item: Queued) -> None:
    """Let go of a locked item."""
    item.key, item.holder, item.held_until = "", None, None
    item.save(update_fields=["key", "holder", "held_until"])


def give_back(item: Queued, *, user_id: int, now: datetime) -> bool:
    """Keep a locked item for somebody again, unless somebody else has it; return whether it is theirs."""
    if item.holder_id not in (None, user_id) and item.held_until is not None and item.held_until > now:
        return False
    item.key, item.holder_id, item.held_until = rng.token(), user_id, now + HELD_FOR
    item.save(update_fields=["key", "holder", "held_until"])
    return True

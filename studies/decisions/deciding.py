"""Store, undo and skip decisions on held items."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid, NotFound
from studies.decisions import experts, queue
from studies.decisions.kinds import Kind, Sent
from studies.rules import decisions as rules

if TYPE_CHECKING:
    from accounts.users.models import User
    from studies.definition.models import Study

LONGEST_NOTE = 2000


@transaction.atomic
def decide(kind: Kind, *, study: Study, user: User, key: str, sent: Sent, now: datetime) -> Any:
    """Store an expert's decision on the item of `key`, and apply its effects.

    The same decision sent again is the same row. Raises `Conflict` if another expert has the item, or if it was decided
    or withdrawn in the meantime; `Invalid` for a decision that doesn't fit it.
    """
    if len(sent.note) > LONGEST_NOTE:
        long = _("Write at most {number} characters.").format(number=LONGEST_NOTE)
        raise Invalid(_("The note is too long."), {"note": long})
    if (known := _known(kind, study, user, key, sent)) is not None:
        return known
    kind.expect_open(study)
    try:
        kind.lock(study, kind.holding.find(_items(kind, study), user.pk, key).pk)
        item = kind.holding.find(_locked(kind, study), user.pk, key)
    except Conflict:
        # Another tab may have stored the same decision while this one waited.
        if (known := _known(kind, study, user, key, sent)) is not None:
            return known
        raise
    item.study = study
    kind.check(user, item, sent)
    valid = _valid(kind, item)
    if any(decision.expert_id == user.pk for decision in valid):
        raise Conflict(_("You have already decided this one, perhaps in another tab."), code="already_decided")
    if _standing(kind, item, valid)[0] == "done":
        raise Conflict(_("Somebody else has decided this one. Here is the next one."), code="decided")
    clips = [clip.clip for clip in kind.clips([item])[item.pk]] if kind.must_play else []
    if len(experts.played(user_id=user.pk, clips=clips)) < len(clips):
        raise Conflict(_("Play every clip first, then decide."), code="not_played")
    decision = kind.decisions._default_manager.create(
        **{f"{kind.of_item}_id": item.pk},
        expert=user,
        note=sent.note.strip(),
        key=key,
        shown=kind.record(item, valid),
        at=now,
        **kind.columns(item, sent, valid),
    )
    kind.store(decision, sent)
    _follow(kind, item, user, now)
    kind.holding.release(item, user.pk)
    return decision


@transaction.atomic
def undo(kind: Kind, *, study: Study, user: User, key: str, now: datetime) -> tuple[str, Any]:
    """Undo an expert's own decision; return the new key of its item, empty if it isn't theirs, and the decision.

    Raises `Conflict` if it was undone before, or if another expert settled a dispute meanwhile.
    """
    decision = _own(kind, study, user, key)
    if decision is None:
        raise NotFound(_("You have no such decision."))
    kind.expect_open(study)
    item_pk = getattr(decision, f"{kind.of_item}_id")
    kind.lock(study, item_pk)
    item = _locked(kind, study).get(pk=item_pk)
    item.study = study
    decision.refresh_from_db()
    if decision.revoked_at is not None:
        raise Conflict(_("This decision has already been undone."), code="already_revoked")
    if not kind.settles(decision) and any(map(kind.settles, _valid(kind, item))):
        raise Conflict(_("A third expert has made the final decision, so it can’t be changed."), code="adjudicated")
    decision.revoked_at = now
    decision.save(update_fields=["revoked_at"])
    _follow(kind, item, user, now)
    is_open = queue.open_to(kind, study, user.pk, now).filter(pk=item.pk).exists()
    return kind.holding.again(item, user.pk, now, is_open=is_open), decision


@transaction.atomic
def skip(kind: Kind, *, study: Study, user_id: int, key: str, now: datetime) -> None:
    """Skip an item: others may decide it, and this expert sees it again after everything else."""
    kind.holding.skip(kind.holding.find(_locked(kind, study), user_id, key), user_id, now)


def _items(kind: Kind, study: Study) -> Any:
    return kind.items._default_manager.filter(study=study)


def _locked(kind: Kind, study: Study) -> Any:
    return _items(kind, study).select_for_update(no_key=True)


def _own(kind: Kind, study: Study, user: User, key: str) -> Any:
    return kind.decisions._default_manager.filter(**{kind.of_study: study}, key=key, expert=user).first()


def _known(kind: Kind, study: Study, user: User, key: str, sent: Sent) -> Any:
    """Return the decision stored under this key; raises `Conflict` if it differs."""
    known = _own(kind, study, user, key)
    if known is not None and (known.revoked_at is not None or not kind.is_same(known, sent)):
        raise Conflict(_("You have already decided this one, perhaps in another tab."), code="already_decided")
    return known


def _valid(kind: Kind, item: Any) -> list[Any]:
    rows = kind.decisions._default_manager.filter(**{kind.of_item: item.pk}, revoked_at=None)
    return list(rows.order_by("at", "pk"))


def _standing(kind: Kind, item: Any, valid: list[Any]) -> tuple[str, str]:
    settled = [kind.outcome(decision) for decision in valid if kind.settles(decision)]
    plain = [kind.outcome(decision) for decision in valid if not kind.settles(decision)]
    return rules.standing(plain, kind.wanted(item, valid), settled[-1] if settled else "")


def _follow(kind: Kind, item: Any, user: User, now: datetime) -> None:
    """Update a locked item from its valid decisions."""
    valid = _valid(kind, item)
    kind.follow(item, *_standing(kind, item, valid), valid, by=user, now=now)

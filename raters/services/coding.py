"""Codes that experts find in what raters wrote: fill the queue, offer, store, take back (rule E2)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid, NotFound
from raters.models import Answer, Coding, CodingItem, CodingMark, CodingSkip, Rating
from raters.reasons import codes
from raters.reasons.codes import Mark
from raters.selectors import coding as select
from raters.selectors import queue as cards_of
from raters.services import queue
from raters.services.queue import LONGEST_NOTE
from studies.services import experts

if TYPE_CHECKING:
    from accounts.models import User
    from studies.models import Study

State, Purpose = CodingItem.State, Coding.Purpose
# Texts that are taken up in one transaction; those with the lowest draws come first.
AT_ONCE = 2000
MOST_MARKS = 100
SIMULATED = "trial__session__simulated"


class Source(NamedTuple):
    """A text that is not in the queue yet: whose it is, and which row of the answer, if it is a comment."""

    answer: int
    rating: int | None
    simulated: bool


def fill(*, study: Study, limit: int | None = None, goes_on: Callable[[], bool] = lambda: True) -> int:
    """Take up every text that is not in the queue yet, or the `limit` with the lowest draws; return how many.

    For a worker, not for a page: it looks at all answers of the study. `goes_on` is asked before each part.
    """
    settings = study.definition.coding
    if settings.mode == "off":
        return 0
    reasons, comments = cards_of.reasons(study.pk, settings), select.comments(study.pk, settings)
    return _take_up(study, reasons, comments, CodingItem.objects.filter(study=study), limit, goes_on)


def take_up(*, study: Study, trials: Collection[int]) -> int:
    """Take up the texts in the answers to these trials that belong into the queue; return how many."""
    settings = study.definition.coding
    if settings.mode == "off":
        return 0
    reasons = cards_of.reasons(study.pk, settings).filter(pk__in=trials)
    comments = select.comments(study.pk, settings).filter(trial__in=trials)
    return _take_up(study, reasons, comments, CodingItem.objects.filter(answer__in=trials))


def _take_up(
    study: Study,
    reasons: QuerySet[Answer],
    comments: QuerySet[Rating],
    known: QuerySet[CodingItem],
    limit: int | None = None,
    goes_on: Callable[[], bool] = lambda: True,
) -> int:
    reasons = reasons.exclude(pk__in=known.filter(rating=None).values("answer"))
    comments = comments.filter(coding_item=None)
    new = [Source(pk, None, is_simulated) for pk, is_simulated in reasons.values_list("pk", SIMULATED)]
    new += [Source(*row) for row in comments.values_list("trial_id", "pk", SIMULATED)]
    drawn = {source: queue.draws("coding", study.secret, source.answer, source.rating or "") for source in new}
    chosen = sorted(new, key=lambda source: drawn[source])[:limit]
    for start in range(0, len(chosen), AT_ONCE):
        if not goes_on():
            return start
        CodingItem.objects.bulk_create(
            (
                CodingItem(
                    study=study,
                    answer_id=source.answer,
                    rating_id=source.rating,
                    simulated=source.simulated,
                    draw=drawn[source][0],
                    double_draw=drawn[source][1],
                )
                for source in chosen[start : start + AT_ONCE]
            ),
            # Another worker may be taking up the same.
            ignore_conflicts=True,
            batch_size=200,
        )
    return len(chosen)


def offer(*, study: Study, user_id: int, now: datetime, count: int = 2, first: str = "") -> list[select.Card]:
    """Return what this expert has before them and what comes next, held for them for a while."""

    settings = study.definition.coding
    waiting = select.waiting(study.pk, settings, user_id)
    following = partial(cards_of.first, skips=CodingSkip.objects.filter(expert=user_id), settings=settings)
    held = queue.take(waiting, following, user_id=user_id, now=now, count=count, first=first)
    clips = cards_of.clips_of([item.answer_id for item in held])
    keys = experts.audio_keys(user_id=user_id, clips={clip.clip for each in clips.values() for clip in each})
    return [card for _item, card in select.cards(held, clips, keys)]


def put_off(*, study: Study, user_id: int, key: str, now: datetime) -> None:
    """Let somebody else have a text; it comes to this expert again after everything else."""
    queue.put_off(CodingItem, CodingSkip, study=study, user_id=user_id, key=key, now=now)


@transaction.atomic
def decide(*, study: Study, user: User, key: str, marks: Sequence[Mark], note: str = "", now: datetime) -> Coding:
    """Store all that an expert found in the text that `key` names for them; no marks: nothing.

    The same sent again is the same coding. Raises `Conflict` when the text went to somebody else, was coded or was
    withdrawn meanwhile, and `Invalid` for marks that don't fit it.
    """
    if len(note) > LONGEST_NOTE:
        long = _("Write at most {number} characters.").format(number=LONGEST_NOTE)
        raise Invalid(_("The note is too long."), {"note": long})
    if len(marks) > MOST_MARKS:
        many = _("Choose at most {number}.").format(number=MOST_MARKS)
        raise Invalid(_("These are too many codes for one text."), {"marks": many})
    if (known := _known(study, user, key, marks)) is not None:
        return known
    try:
        item = queue.held(_locked(), study=study, user_id=user.pk, key=key)
    except Conflict:
        # Another tab may have sent the same while this one waited.
        if (known := _known(study, user, key, marks)) is not None:
            return known
        raise
    item = CodingItem.objects.select_related("answer__trial__session", "rating").get(pk=item.pk)
    trial, settings, text = item.answer.trial, study.definition.coding, select.text_of(item)
    if trial.usable is not True or not text:
        raise Conflict(_("This answer was withdrawn meanwhile. Here is the next."), code="withdrawn")
    kind = select.kind_of(item)
    if problems := codes.problems(kind, settings, text, marks):
        raise Invalid(" ".join(dict.fromkeys(problems.values())), problems)
    given = _standing(item)
    purpose = Purpose.DOUBLE if Purpose.FIRST in given else Purpose.FIRST
    if purpose in given or trial.session.opened_by_id == user.pk or user.pk in given.values():
        raise Conflict(_("This one was coded by somebody else meanwhile. Here is the next."), code="decided")
    made = Coding.objects.create(
        item=item,
        study=study,
        expert=user,
        purpose=purpose,
        # Drawn once, at the first coding, as with reviews.
        doubled=_is_doubled(item, settings.double_share),
        note=note.strip(),
        key=key,
        shown={
            "kind": kind,
            "codes": [asdict(code) for code in codes.book(kind, settings)],
            # By its hash, so that erasing a text reaches it all.
            "text_sha256": hashlib.sha256(text.encode()).hexdigest(),
        },
        at=now,
    )
    book = {code.code: code for code in codes.book(kind, settings)}
    CodingMark.objects.bulk_create(
        CodingMark(coding=made, name=book[mark.code].name, dimension=book[mark.code].dimension, **asdict(mark))
        for mark in marks
    )
    _follow(item)
    queue.free(item)
    return made


@transaction.atomic
def undo(*, study: Study, user: User, key: str, now: datetime) -> tuple[CodingItem | None, list[Mark]]:
    """Take an expert's own coding back; return the text if it is theirs again, and what they had found in it."""
    found = Coding.objects.filter(key=key, expert=user, study=study).first()
    if found is None:
        raise NotFound(_("There is no such decision of yours."))
    item = _locked().get(pk=found.item_id)
    found.refresh_from_db()
    if found.revoked_at is not None:
        raise Conflict(_("This decision was taken back already."), code="already_revoked")
    found.revoked_at = now
    found.save(update_fields=["revoked_at"])
    _follow(item)
    is_usable = Answer.objects.filter(pk=item.answer_id, trial__usable=True).exists()
    is_theirs = is_usable and queue.give_back(item, user_id=user.pk, now=now)
    return item if is_theirs else None, select.marks_of(found)


def _locked() -> Any:
    return CodingItem.objects.select_for_update(no_key=True)


def _known(study: Study, user: User, key: str, marks: Sequence[Mark]) -> Coding | None:
    """Return what this key stored before; raises `Conflict` when that was something else."""
    known = Coding.objects.filter(key=key, expert=user, study=study).first()
    if known is not None and (known.revoked_at is not None or set(select.marks_of(known)) != set(marks)):
        raise Conflict(_("You have decided this one already, perhaps in another tab."), code="already_decided")
    return known


def _standing(item: CodingItem) -> dict[str, int]:
    """Return {purpose: expert} of the codings that were not taken back."""
    return dict(Coding.objects.filter(item=item, revoked_at=None).values_list("purpose", "expert_id"))


def _is_doubled(item: CodingItem, share: float) -> bool:
    drawn = Coding.objects.filter(item=item, revoked_at=None).values_list("doubled", flat=True).first()
    return item.double_draw < share if drawn is None else drawn


def _follow(item: CodingItem) -> None:
    """Bring a locked item in line with the codings that stand."""
    doubled = list(Coding.objects.filter(item=item, revoked_at=None).values_list("doubled", flat=True))
    if not doubled:
        item.state = State.OPEN
    else:
        item.state = State.HALF if len(doubled) == 1 and doubled[0] else State.DONE
    item.save(update_fields=["state"])

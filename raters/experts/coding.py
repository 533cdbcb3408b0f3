"""Codes that experts find in what raters wrote: fill the queue, offer, store, take back (rule E2)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction
from django.db.models import OuterRef, QuerySet
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid, NotFound
from raters.experts import queue
from raters.experts.models import Coding, CodingItem, CodingMark, CodingSkip
from raters.experts.queue import LONGEST_NOTE
from raters.rating.models import Answer, Rating
from raters.rating.rules import codes
from raters.rating.rules.codes import CodeMark, Kind
from studies.definition.settings.coding import CodingSettings as Settings
from studies.pool import queries as pool_queries
from studies.spot_checks import experts
from studies.spot_checks.experts import CardClip

if TYPE_CHECKING:
    from accounts.users.models import User
    from studies.definition.models import Study


@dataclass(frozen=True, slots=True)
class CodingCard:
    """One text as an expert sees it: no system, no rater, nothing that others found."""

    key: str
    kind: Kind
    text: str
    answers: tuple[tuple[str, str], ...]
    question: str
    clips: tuple[tuple[CardClip, str], ...]


def comments_to_code(study_id: int, settings: Settings) -> QuerySet[Rating]:
    """Return the rows of usable test answers on which the rater wrote a comment."""
    rows = Rating.objects.filter(study_id=study_id, trial__usable=True, trial__item__role="test").exclude(note="")
    return rows if settings.simulated else rows.filter(trial__session__simulated=False)


def in_scope(study_id: int, settings: Settings) -> QuerySet[CodingItem]:
    """Return the items that the settings want coded."""
    return queue.in_scope(CodingItem.objects.filter(study_id=study_id), settings)


def items_open_to(study_id: int, settings: Settings, user_id: int) -> QuerySet[CodingItem]:
    """Return the texts that this expert may code, in random order; skipped ones come last."""
    own = queue.standing(Coding).filter(item=OuterRef("pk"))
    skips = CodingSkip.objects.filter(item=OuterRef("pk"))
    return queue.open_to(in_scope(study_id, settings), user_id, decided=own, skips=skips)


def kind_of(item: CodingItem) -> Kind:
    return "reason" if item.rating_id is None else "comment"


def text_of(item: CodingItem) -> str:
    """Return what the rater wrote; empty once it was erased."""
    return item.answer.reason if item.rating is None else item.rating.note


def cards(
    items: Sequence[CodingItem], clips: Mapping[int, list[CardClip]], keys: Mapping[int, str]
) -> list[tuple[CodingItem, CodingCard]]:
    """Return these items with their cards, in their order."""
    rows = CodingItem.objects.select_related("answer__trial__session", "rating__question")
    items_by_key = rows.in_bulk([item.pk for item in items])
    of_reasons = [item for item in items_by_key.values() if item.rating_id is None]
    labels = queue.labels_of({item.answer_id: item.answer.trial.session.version_id for item in of_reasons})
    return [
        (
            items_by_key[item.pk],
            CodingCard(
                key=item.key,
                kind=kind_of(items_by_key[item.pk]),
                text=text_of(items_by_key[item.pk]),
                answers=tuple(labels[item.answer_id]) if item.rating_id is None else (),
                question=_question(items_by_key[item.pk]),
                clips=tuple((clip, keys[clip.clip]) for clip in clips[item.answer_id]),
            ),
        )
        for item in items
    ]


def _question(item: CodingItem) -> str:
    question = item.rating.question if item.rating is not None else None
    return question.prompt if question is not None else ""


def marks_of(coding: Coding) -> list[CodeMark]:
    """Return what was found, in the order it was marked."""
    rows = CodingMark.objects.filter(coding=coding).order_by("pk")
    columns: Any = rows.values_list("code", "polarity", "start", "stop")
    return [CodeMark(*row) for row in columns]


def pace(study_id: int, settings: Settings, user_id: int, now: datetime) -> pool_queries.Pace:
    """Return how far everybody is, and how quick this expert; a handful of SELECTs."""
    scope, is_open = in_scope(study_id, settings), items_open_to(study_id, settings, user_id)
    return queue.pace(_mine(study_id, user_id), scope=scope, is_open=is_open, settings=settings, now=now)


def last_of(study_id: int, user_id: int) -> str:
    """Return the key of the coding that this expert made last; empty when there is none."""
    return pool_queries.last_of(_mine(study_id, user_id))


def _mine(study_id: int, user_id: int) -> QuerySet[Coding]:
    return Coding.objects.filter(study_id=study_id, expert=user_id, revoked_at=None)


State, Purpose = CodingItem.State, Coding.Purpose
# Texts that are taken up in one transaction; those with the lowest draws come first.
AT_ONCE = 2000
MOST_MARKS = 100
SIMULATED = "trial__session__simulated"


class UnqueuedText(NamedTuple):
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
    reasons, comments = queue.reasons(study.pk, settings), comments_to_code(study.pk, settings)
    return _take_up(study, reasons, comments, CodingItem.objects.filter(study=study), limit, goes_on)


def take_up(*, study: Study, trials: Collection[int]) -> int:
    """Take up the texts in the answers to these trials that belong into the queue; return how many."""
    settings = study.definition.coding
    if settings.mode == "off":
        return 0
    reasons = queue.reasons(study.pk, settings).filter(pk__in=trials)
    comments = comments_to_code(study.pk, settings).filter(trial__in=trials)
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
    new = [UnqueuedText(pk, None, is_simulated) for pk, is_simulated in reasons.values_list("pk", SIMULATED)]
    new += [UnqueuedText(*row) for row in comments.values_list("trial_id", "pk", SIMULATED)]
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


def offer(*, study: Study, user_id: int, now: datetime, count: int = 2, first: str = "") -> list[CodingCard]:
    """Return what this expert has before them and what comes next, held for them for a while."""

    settings = study.definition.coding
    waiting = items_open_to(study.pk, settings, user_id)
    following = partial(queue.first, skips=CodingSkip.objects.filter(expert=user_id), settings=settings)
    held = queue.hold_items(waiting, following, user_id=user_id, now=now, count=count, first=first)
    clips = queue.clips_of([item.answer_id for item in held])
    keys = experts.audio_keys(user_id=user_id, clips={clip.clip for each in clips.values() for clip in each})
    return [card for _item, card in cards(held, clips, keys)]


def put_off(*, study: Study, user_id: int, key: str, now: datetime) -> None:
    """Skip a text: others may code it, and this expert sees it again after everything else."""
    queue.put_off(CodingItem, CodingSkip, study=study, user_id=user_id, key=key, now=now)


@transaction.atomic
def decide(*, study: Study, user: User, key: str, marks: Sequence[CodeMark], note: str = "", now: datetime) -> Coding:
    """Store the codes that an expert found in the text that `key` names; no marks means no code fits.

    The same sent again is the same coding. Raises `Conflict` when the text went to somebody else, was coded or was
    withdrawn in the meantime, and `Invalid` for marks that don't fit it.
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
        item = queue.item_held_by(_locked(), study=study, user_id=user.pk, key=key)
    except Conflict:
        # Another tab may have sent the same while this one waited.
        if (known := _known(study, user, key, marks)) is not None:
            return known
        raise
    item = CodingItem.objects.select_related("answer__trial__session", "rating").get(pk=item.pk)
    trial, settings, text = item.answer.trial, study.definition.coding, text_of(item)
    if trial.usable is not True or not text:
        raise Conflict(_("This answer has been withdrawn. Here is the next one."), code="withdrawn")
    kind = kind_of(item)
    if problems := codes.problems(kind, settings, text, marks):
        raise Invalid(" ".join(dict.fromkeys(problems.values())), problems)
    expert_by_purpose = _standing(item)
    purpose = Purpose.DOUBLE if Purpose.FIRST in expert_by_purpose else Purpose.FIRST
    if purpose in expert_by_purpose or trial.session.opened_by_id == user.pk or user.pk in expert_by_purpose.values():
        raise Conflict(_("Somebody else has coded this one. Here is the next one."), code="decided")
    created = Coding.objects.create(
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
        CodingMark(coding=created, name=book[mark.code].name, dimension=book[mark.code].dimension, **asdict(mark))
        for mark in marks
    )
    _follow(item)
    queue.release(item)
    return created


@transaction.atomic
def undo(*, study: Study, user: User, key: str, now: datetime) -> tuple[CodingItem | None, list[CodeMark]]:
    """Take an expert's own coding back; return the text if it is theirs again, and what they had found in it."""
    coding = Coding.objects.filter(key=key, expert=user, study=study).first()
    if coding is None:
        raise NotFound(_("You have no such decision."))
    item = _locked().get(pk=coding.item_id)
    coding.refresh_from_db()
    if coding.revoked_at is not None:
        raise Conflict(_("This decision has already been undone."), code="already_revoked")
    coding.revoked_at = now
    coding.save(update_fields=["revoked_at"])
    _follow(item)
    is_usable = Answer.objects.filter(pk=item.answer_id, trial__usable=True).exists()
    is_theirs = is_usable and queue.hold_again(item, user_id=user.pk, now=now)
    return item if is_theirs else None, marks_of(coding)


def _locked() -> Any:
    return CodingItem.objects.select_for_update(no_key=True)


def _known(study: Study, user: User, key: str, marks: Sequence[CodeMark]) -> Coding | None:
    """Return what this key stored before; raises `Conflict` when that was something else."""
    known = Coding.objects.filter(key=key, expert=user, study=study).first()
    if known is not None and (known.revoked_at is not None or set(marks_of(known)) != set(marks)):
        raise Conflict(_("You have already decided this one, perhaps in another tab."), code="already_decided")
    return known


def _standing(item: CodingItem) -> dict[str, int]:
    """Return {purpose: expert} of the codings that were not taken back."""
    return dict(Coding.objects.filter(item=item, revoked_at=None).values_list("purpose", "expert_id"))


def _is_doubled(item: CodingItem, share: float) -> bool:
    drawn = Coding.objects.filter(item=item, revoked_at=None).values_list("doubled", flat=True).first()
    return item.double_draw < share if drawn is None else drawn


def _follow(item: CodingItem) -> None:
    """Update a locked item's state from its valid codings."""
    doubled = list(Coding.objects.filter(item=item, revoked_at=None).values_list("doubled", flat=True))
    if not doubled:
        item.state = State.OPEN
    else:
        item.state = State.HALF if len(doubled) == 1 and doubled[0] else State.DONE
    item.save(update_fields=["state"])

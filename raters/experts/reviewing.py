"""Store and undo experts' decisions on reasons, with their effect on usability (rule E1)."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid, NotFound
from raters.experts import queue, review_queue, rules
from raters.experts.models import Review, ReviewItem
from raters.experts.queue import LONGEST_NOTE
from raters.experts.rules import RATER_RULE, RULE, StandingDecision
from raters.people.models import Session
from raters.rating import verdicts
from raters.rating.models import Batch, Trial, Verdict
from studies.pool import claiming

if TYPE_CHECKING:
    from accounts.users.models import User
    from studies.definition.definition import ReviewSettings as Settings
    from studies.definition.models import Study


@transaction.atomic
def decide(*, study: Study, user: User, key: str, decision: str, note: str = "", now: datetime) -> Review:
    """Store a decision on the answer that `key` names for this expert, and apply its effects.

    The same decision sent again is the same review. Raises `Conflict` when the answer went to somebody else, was
    was decided or withdrawn in the meantime.
    """
    if decision not in Review.Decision.values:
        raise Invalid(_("Choose consistent, inconsistent or cannot tell."), {"decision": _("Unknown.")})
    if len(note) > LONGEST_NOTE:
        long = _("Write at most {number} characters.").format(number=LONGEST_NOTE)
        raise Invalid(_("The note is too long."), {"note": long})
    if (known := _known(study, user, key, decision)) is not None:
        return known
    item = queue.item_held_by(ReviewItem.objects.all(), study=study, user_id=user.pk, key=key)
    settings = study.definition.review
    trial = _lock(study, item, settings)
    # Checked again under the lock: another tab or another expert may have been faster.
    if (known := _known(study, user, key, decision)) is not None:
        return known
    rows = ReviewItem.objects.select_for_update(no_key=True)
    item = queue.item_held_by(rows, study=study, user_id=user.pk, key=key)
    if trial.usable is not True:
        raise Conflict(_("This answer has been withdrawn. Here is the next one."), code="withdrawn")
    decisions = _given(item.pk)
    purpose = rules.purpose(decisions)
    if purpose is None or trial.session.opened_by_id == user.pk:
        raise Conflict(_("Somebody else has decided this one. Here is the next one."), code="decided")
    review = Review.objects.create(
        answer_id=item.pk,
        study=study,
        expert=user,
        decision=decision,
        purpose=purpose,
        # Drawn once, at the first review: a share that changes later makes no settled answer unsettled.
        doubled=decisions[0].doubled if decisions else item.double_draw < settings.double_share,
        note=note.strip(),
        key=key,
        shown=_shown(item),
        at=now,
    )
    _follow(study, item, by=user, now=now)
    queue.release(item)
    _judge(study, trial.rater_id, settings, now)
    return review


@transaction.atomic
def undo(*, study: Study, user: User, key: str, now: datetime) -> ReviewItem | None:
    """Undo an expert's own decision, and hold the answer for them again unless another expert has it.

    Raises `Conflict` if it was undone before, or adjudicated in the meantime.
    """
    review = Review.objects.filter(key=key, expert=user, study=study).first()
    if review is None:
        raise NotFound(_("You have no such decision."))
    settings = study.definition.review
    item = ReviewItem.objects.get(pk=review.answer_id)
    trial = _lock(study, item, settings)
    item = ReviewItem.objects.select_for_update(no_key=True).get(pk=item.pk)
    review = Review.objects.select_for_update(no_key=True).get(pk=review.pk)
    if review.revoked_at is not None:
        raise Conflict(_("This decision has already been undone."), code="already_revoked")
    is_adjudicated = any(each.purpose == "adjudication" for each in _given(item.pk))
    if is_adjudicated and review.purpose != "adjudication":
        raise Conflict(_("A third expert has made the final decision, so it can’t be changed."), code="adjudicated")
    review.revoked_at = now
    review.save(update_fields=["revoked_at"])
    _follow(study, item, by=user, now=now)
    _judge(study, trial.rater_id, settings, now)
    trial.refresh_from_db(fields=["usable"])
    is_theirs = trial.usable is True and queue.hold_again(item, user_id=user.pk, now=now)
    return item if is_theirs else None


def apply_limit(*, study: Study, now: datetime) -> int:
    """Apply the study's limit on inconsistent reasons to every rater; return how many raters it holds out now."""
    settings = study.definition.review
    items = ReviewItem.objects.filter(study=study, state=ReviewItem.State.DONE)
    raters = sorted(set(items.values_list("answer__trial__rater_id", flat=True)))
    for rater in raters:
        with transaction.atomic():
            _lock_rater(study, rater, places=True)
            _judge(study, rater, settings, now)
    out = Verdict.objects.filter(session__study=study, rule=RATER_RULE, revoked_at=None)
    return out.order_by().values("session__rater").distinct().count()


def _known(study: Study, user: User, key: str, decision: str) -> Review | None:
    """Return what this key decided before; raises `Conflict` when that was something else."""
    known = Review.objects.filter(key=key, expert=user, study=study).first()
    if known is not None and (known.revoked_at is not None or known.decision != decision):
        raise Conflict(_("You have already decided this one, perhaps in another tab."), code="already_decided")
    return known


def _lock(study: Study, item: ReviewItem, settings: Settings) -> Trial:
    """Hold all that a decision on this answer may change, and return its trial as it is now."""
    rater = Trial.objects.values_list("rater_id", flat=True).get(pk=item.pk)
    _lock_rater(study, rater, places=settings.inconsistent_limit is not None)
    return Trial.objects.select_related("session").get(pk=item.pk)


def _lock_rater(study: Study, rater: int, *, places: bool) -> None:
    """Sessions first, then batches, then places, each in the order of their keys, as everybody does."""
    sessions = Session.objects.filter(study=study, rater=rater).order_by("pk")
    keys = list(sessions.select_for_update(no_key=True).values_list("pk", flat=True))
    batches = Batch.objects.filter(session__in=keys).order_by("pk")
    held = list(batches.select_for_update(no_key=True, of=("self",)).values_list("pk", flat=True))
    if places:
        # Two verdicts may follow, and each would lock its own places.
        trials = Trial.objects.filter(batch__in=held, pool__isnull=False)
        claiming.lock(set(trials.values_list("pool_id", flat=True)))


def _given(answer: int) -> list[StandingDecision]:
    rows: Any = Review.objects.filter(answer=answer, revoked_at=None).order_by("at", "pk")
    return [StandingDecision(*row) for row in rows.values_list("decision", "purpose", "doubled")]


def _shown(item: ReviewItem) -> dict[str, Any]:
    """Return what the expert saw: codes as they are, texts by their hash, so that erasing a reason reaches it all."""
    clips = queue.clips_of([item.pk])
    [card] = review_queue.cards([item], clips, {clip.clip: "" for clip in clips[item.pk]})
    words = [card.reason, *(clip.text for clip, _key in card.clips)]
    return {
        "answers": [list(answer) for answer in card.answers],
        "clips": [clip.clip for clip, _key in card.clips],
        "texts_sha256": hashlib.sha256(json.dumps(words, ensure_ascii=False).encode()).hexdigest(),
        "decisions": [decision for decision, _note in card.decisions],
    }


def _follow(study: Study, item: ReviewItem, *, by: User, now: datetime) -> None:
    """Update an item's state and its verdict from the valid decisions."""
    standing = rules.standing(_given(item.pk))
    item.state, item.decision = standing.state, standing.decision or ""
    item.save(update_fields=["state", "decision"])
    active = Verdict.objects.filter(answer=item.pk, rule=RULE, revoked_at=None).first()
    if standing.decision == "inconsistent" and active is None:
        keys = Review.objects.filter(answer=item.pk, revoked_at=None).order_by("pk").values_list("pk", flat=True)
        detail = {"reviews": list(keys)}
        verdicts.exclude(answer=item.pk, rule=RULE, by=by, now=now, detail=detail)
    elif standing.decision != "inconsistent" and active is not None:
        verdicts.revoke(verdict_id=active.pk, by=by, now=now)


def _judge(study: Study, rater: int, settings: Settings, now: datetime) -> None:
    """Apply the limit to one locked rater: all of their sessions in the study, or none."""
    sessions = list(Session.objects.filter(study=study, rater=rater).order_by("pk").values_list("pk", flat=True))
    active = Verdict.objects.filter(session__in=sessions, rule=RATER_RULE, revoked_at=None)
    if settings.inconsistent_limit is None and not active.exists():
        return
    done = ReviewItem.objects.filter(study=study, answer__trial__rater=rater, state=ReviewItem.State.DONE)
    counts = {"decided": done.count(), "inconsistent": done.filter(decision="inconsistent").count()}
    limit = settings.inconsistent_limit
    if rules.condemns(**counts, limit=limit, least=settings.inconsistent_least):
        for session in sessions:
            verdicts.exclude(session=session, rule=RATER_RULE, by=None, now=now, detail={**counts, "limit": limit})
    else:
        for verdict in active.values_list("pk", flat=True):
            verdicts.revoke(verdict_id=verdict, by=None, now=now)

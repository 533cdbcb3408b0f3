"""The desk of the justification review."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from pydantic import Field

from accounts.models import User
from core.spec import Spec
from raters.reasons.flags import CONTRADICTS, DUPLICATE, MACHINE_DIFFERS, NEAR_DUPLICATE, SHARED, VERY_SHORT
from raters.reasons.writing import DRAFTED, FEW_KEYS, PASTED
from raters.selectors import reviews as select
from raters.services import review_queue, reviews
from raters.views.experts import desk

if TYPE_CHECKING:
    from studies.models import Study
    from studies.selectors.pace import Pace


class Decided(Spec):
    """What the page sends of a decision."""

    decision: str = Field(max_length=20)
    note: str = Field("", max_length=10_000)


class ReviewDesk(desk.Desk):
    """Does what a rater wrote fit the label?"""

    name = address = "review"

    def is_on(self, study: Study) -> bool:
        return study.definition.review.mode != "off" and study.state != study.State.DRAFT

    def offer(self, study: Study, user: User, now: datetime, first: str) -> list[dict[str, Any]]:
        cards = review_queue.offer(study=study, user_id=user.pk, now=now, first=first)
        return [
            {
                "key": card.key,
                "answers": [{"clip": clip, "label": label} for clip, label in card.answers],
                "reason": card.reason,
                "clips": [desk.clip(study, clip, key) for clip, key in card.clips],
                "decisions": [{"decision": decision, "note": note} for decision, note in card.decisions],
            }
            for card in cards
        ]

    def pace(self, study: Study, user: User, now: datetime) -> Pace:
        return select.pace(study.pk, study.definition.review, user.pk, now)

    def last_of(self, study: Study, user: User) -> str:
        return select.last_of(study.pk, user.pk)

    def decide(self, study: Study, user: User, key: str, body: dict[str, Any], now: datetime) -> dict[str, Any]:
        sent = desk.parse(Decided, body)
        made = reviews.decide(study=study, user=user, key=key, decision=sent.decision, note=sent.note, now=now)
        # Flags are told after the decision, never before.
        return {"last": made.key, "flags": [words(flag) for flag in select.flags_of(made.answer_id)]}

    def undo(self, study: Study, user: User, key: str, now: datetime) -> dict[str, Any]:
        item = reviews.undo(study=study, user=user, key=key, now=now)
        return {"back": item.key if item is not None else ""}

    def put_off(self, study: Study, user: User, key: str, now: datetime) -> None:
        review_queue.put_off(study=study, user_id=user.pk, key=key, now=now)

    def words(self) -> tuple[str, str]:
        return _("Review reasons"), _("Does what a rater wrote fit the label that they chose?")


def words(flag: str) -> str:
    """Return what a flag says, for people."""
    known = {
        VERY_SHORT: _("very short"),
        CONTRADICTS: _("its words speak against the label"),
        PASTED: _("pasted rather than typed"),
        FEW_KEYS: _("too few keys for its length"),
        DRAFTED: _("came in at once after the page had been left"),
        DUPLICATE: _("the same words as another reason"),
        NEAR_DUPLICATE: _("nearly the same words as another one of this rater"),
        MACHINE_DIFFERS: _("a machine and the raters differ on this clip"),
        SHARED: _("nearly the same words as another rater’s"),
    }
    return known.get(flag, flag)

"""The desk of the spot check before a launch."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from accounts.models import User
from raters.selectors import filling
from raters.views.experts import desk, spot_words
from raters.views.experts.review import Decided
from studies.selectors import spot_checks as select
from studies.services import experts, spot_checks

if TYPE_CHECKING:
    from studies.models import Study
    from studies.selectors.pace import Pace


class SpotDesk(desk.Desk):
    """Did the synthesis succeed? Could several takes be the same voice?"""

    name, address = "spot_check", "spot-check"

    def is_on(self, study: Study) -> bool:
        return spot_checks.is_open(study)

    def prepare(self, study: Study) -> None:
        spot_checks.fill(study=study)

    def filling(self, study: Study, now: datetime) -> filling.Filling:
        # The sample is drawn before it is shown.
        return filling.NOTHING

    def offer(self, study: Study, user: User, now: datetime, first: str) -> list[dict[str, Any]]:
        cards = spot_checks.offer(study=study, user_id=user.pk, now=now, first=first)
        keys = experts.audio_keys(user_id=user.pk, clips={clip.clip for card in cards for clip in card.clips})
        return [
            {
                "key": card.key,
                "kind": card.kind,
                "clips": [desk.clip(study, clip, keys[clip.clip]) for clip in card.clips],
                "decisions": [{"decision": code, "note": note} for code, note in card.decisions],
            }
            for card in cards
        ]

    def pace(self, study: Study, user: User, now: datetime) -> Pace:
        return select.pace(study.pk, user.pk, now)

    def last_of(self, study: Study, user: User) -> str:
        return select.last_of(study.pk, user.pk)

    def decide(self, study: Study, user: User, key: str, body: dict[str, Any], now: datetime) -> dict[str, Any]:
        sent = desk.parse(Decided, body)
        made = spot_checks.decide(study=study, user=user, key=key, code=sent.decision, note=sent.note, now=now)
        return {"last": made.key}

    def undo(self, study: Study, user: User, key: str, now: datetime) -> dict[str, Any]:
        return {"back": spot_checks.undo(study=study, user=user, key=key, now=now)}

    def put_off(self, study: Study, user: User, key: str, now: datetime) -> None:
        spot_checks.put_off(study=study, user=user, key=key, now=now)

    def words(self) -> tuple[str, str]:
        about = _("Did the synthesis succeed? Could these be the same voice? Before the study is launched.")
        return _("Check clips"), about

    def context(self, study: Study) -> dict[str, Any]:
        return {"forms": [(kind, list(enumerate(answers, start=1))) for kind, answers in spot_words.forms().items()]}

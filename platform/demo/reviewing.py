"""Simulated experts, who review the reasons of a finished study by the same services as real ones."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.contrib.auth import get_user_model

from accounts.users.invitations import create_account
from core.rng import seeded
from raters.experts.reviewing import REVIEW
from studies.decisions import deciding, experts, queue
from studies.decisions.kinds import SentDecision

if TYPE_CHECKING:
    from accounts.users.models import User
    from studies.definition.models import Study

# A third one decides where the first two disagree.
NAMES = ("simulated-expert-1", "simulated-expert-2", "simulated-expert-3")
NOTE = "Decided by a simulated expert."
SHARES = {"consistent": 0.9, "inconsistent": 0.07, "cannot_tell": 0.03}
# Share of decisions that an expert makes regardless of the reason.
SLIPS = 0.06
SECONDS = (6.0, 25.0)


def review(*, study: Study, now: datetime) -> int:
    """Decide every reason in the study's queue; return the number of decisions. Nothing happens without a review."""
    if not REVIEW.is_on(study):
        return 0
    REVIEW.fill(study=study)
    return sum(_work(study, _expert(study, name, now), now) for name in NAMES)


def _expert(study: Study, name: str, now: datetime) -> User:
    """Return an expert of the study, with an account whose random password is not kept."""
    user = get_user_model().objects.filter(username=name).first()
    user = user or create_account(username=name, password=secrets.token_urlsafe(32), email="")
    if not experts.may_review(study, user):
        _invite, token = experts.invite(study=study, by=study.owner, now=now)
        experts.accept(token=token, user=user, now=now)
    return user


def _work(study: Study, user: User, now: datetime) -> int:
    rng = seeded("expert", user.username)
    decided = 0
    while cards := queue.offer(REVIEW, study=study, user_id=user.pk, now=now, count=1):
        card = cards[0]
        # Without slips, all experts decide alike on a reason.
        by = rng if rng.random() < SLIPS else seeded("reason", card.shown["reason"])
        decision = by.choices(list(SHARES), list(SHARES.values()))[0]
        sent = SentDecision(decision=decision, note=NOTE)
        now += timedelta(seconds=rng.uniform(*SECONDS))
        deciding.decide(REVIEW, study=study, user=user, key=card.key, sent=sent, now=now)
        decided += 1
    return decided

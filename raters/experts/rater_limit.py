"""The limit on a rater's share of inconsistent reasons; above it, all sessions of the rater are excluded (rule E1)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction

from raters.experts import rules
from raters.experts.models import ReviewItem
from raters.experts.rules import RATER_RULE
from raters.people.models import Session
from raters.rating import verdicts
from raters.rating.models import Batch, Trial, Verdict
from studies.pool import claiming

if TYPE_CHECKING:
    from studies.definition.models import Study


def apply(*, study: Study, now: datetime) -> int:
    """Apply the study's limit to every rater; return the number of raters excluded now."""
    items = ReviewItem.objects.filter(study=study, state=ReviewItem.State.DONE)
    for rater in sorted(set(items.values_list("answer__trial__rater_id", flat=True))):
        with transaction.atomic():
            lock(study, rater, places=True)
            judge(study, rater, now)
    out = Verdict.objects.filter(session__study=study, rule=RATER_RULE, revoked_at=None)
    return out.order_by().values("session__rater").distinct().count()


def lock(study: Study, rater: int, *, places: bool) -> None:
    """Lock order: sessions, batches, places; by primary key. All writers use it."""
    sessions = Session.objects.filter(study=study, rater=rater).order_by("pk")
    keys = list(sessions.select_for_update(no_key=True).values_list("pk", flat=True))
    batches = Batch.objects.filter(session__in=keys).order_by("pk")
    held = list(batches.select_for_update(no_key=True, of=("self",)).values_list("pk", flat=True))
    if places:
        # Lock all places at once: two verdicts may follow, and each would lock its own.
        trials = Trial.objects.filter(batch__in=held, pool__isnull=False)
        claiming.lock(set(trials.values_list("pool_id", flat=True)))


def judge(study: Study, rater: int, now: datetime) -> None:
    """Apply the limit to one locked rater: all of their sessions in the study, or none."""
    settings = study.definition.review
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

"""Answers that somebody wants experts to see first, because a machine and the raters differ on their clips."""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Conflict
from raters.models import ReviewItem, TrialClip
from raters.reasons.flags import MACHINE_DIFFERS
from raters.services import review_queue
from studies.selectors import overview

logger = logging.getLogger(__name__)


def send_to_review(*, study_id: int, clip_ids: Collection[int], by: Any) -> int:
    """Bring the answers about these clips to the front of the experts' queue; return how many nobody has decided yet.

    Their draws become negative, so that they come before all others, at random among themselves, and belong to any
    share that is reviewed. Raises `Conflict` where experts review nothing in this study.
    """
    study = overview.study_of(study_id)
    if study.definition.review.mode == "off":
        raise Conflict(_("Experts review no reasons in this study; its settings say so."), code="no_review")
    trials = TrialClip.objects.filter(clip__in=clip_ids).values_list("trial", flat=True)
    review_queue.take_up(study=study, trials=list(trials))
    with transaction.atomic():
        waiting = ReviewItem.objects.select_for_update(no_key=True, of=("self",))
        items = list(waiting.filter(study=study, state=ReviewItem.State.OPEN, answer__in=trials).order_by("pk"))
        for item in items:
            item.flags, item.flagged = sorted({*item.flags, MACHINE_DIFFERS}), True
            item.draw = item.draw - 1 if item.draw >= 0 else item.draw
        ReviewItem.objects.bulk_update(items, ["flags", "flagged", "draw"], batch_size=200)
    who = f"user {by.pk}" if by else "a command"
    logger.info("%s answers of study %s were sent to the experts by %s.", len(items), study.slug, who)
    return len(items)

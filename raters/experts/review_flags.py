"""Flags of suspicious reasons, set when they enter the queue and when they repeat others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.db.models import Count
from django.utils.translation import gettext_lazy as _

from raters.experts.models import ReviewItem
from raters.rating.rules import likeness, polarity
from raters.rating.rules.polarity import (
    CONTRADICTS,
    DUPLICATE,
    MACHINE_DIFFERS,
    NEAR_DUPLICATE,
    REPETITIVE,
    SHARED,
    VERY_SHORT,
)
from raters.rating.rules.writing import DRAFTED, FEW_KEYS, PASTED

CHUNK = 500
# Labels of the flags in the interface.
LABELS = {
    VERY_SHORT: _("very short"),
    REPETITIVE: _("one word or a few characters again and again"),
    CONTRADICTS: _("its words contradict the label"),
    PASTED: _("pasted rather than typed"),
    FEW_KEYS: _("too few keystrokes for its length"),
    DRAFTED: _("inserted at once after leaving the page"),
    DUPLICATE: _("the same words as another reason"),
    NEAR_DUPLICATE: _("nearly the same words as another one of this rater"),
    MACHINE_DIFFERS: _("the judge and the raters disagree on this clip"),
    SHARED: _("nearly the same words as another rater’s"),
}


def compare(*, study_id: int) -> int:
    """Flag reasons that nearly repeat another rater's, if any are new; return the number of new ones.

    For a worker, not for a page: it takes seconds for 5,000 reasons.
    """
    fresh = ReviewItem.objects.filter(study=study_id, compared=False)
    new = list(fresh.values_list("pk", flat=True))
    if not new:
        return 0
    rows = ReviewItem.objects.filter(study=study_id).order_by("pk")
    reasons = {
        pk: (rater, reason)
        for pk, rater, reason in rows.values_list("pk", "answer__trial__rater_id", "answer__reason").iterator()
    }
    alike = likeness.across(reasons)
    with transaction.atomic():
        for start in range(0, len(alike), CHUNK):
            add_flag(ReviewItem.objects.filter(pk__in=alike[start : start + CHUNK]), polarity.SHARED)
        for start in range(0, len(new), CHUNK):
            ReviewItem.objects.filter(pk__in=new[start : start + CHUNK]).update(compared=True)
    return len(new)


def compare_all(*, now: datetime) -> None:
    """Compare the reasons of every study with new ones."""
    for study in ReviewItem.objects.filter(compared=False).order_by().values_list("study", flat=True).distinct():
        compare(study_id=study)


def mark_copies(study_id: int, digests: Collection[str]) -> None:
    """Flag all reasons in the study that have the same text as another."""
    same = ReviewItem.objects.filter(study=study_id, digest__in=digests)
    several = same.order_by().values("digest").annotate(number=Count("pk")).filter(number__gt=1)
    add_flag(
        ReviewItem.objects.filter(study=study_id, digest__in=list(several.values_list("digest", flat=True))),
        polarity.DUPLICATE,
    )


def mark_likes(study_id: int, raters: Collection[int]) -> None:
    """Flag reasons that a rater hardly changed from clip to clip."""
    rows = ReviewItem.objects.filter(study=study_id, answer__trial__rater__in=raters)
    reasons: dict[int, dict[int, str]] = defaultdict(dict)
    for rater, pk, reason in rows.values_list("answer__trial__rater_id", "pk", "answer__reason"):
        reasons[rater][pk] = reason
    alike = {pk for theirs in reasons.values() for pk in likeness.near(theirs)}
    add_flag(ReviewItem.objects.filter(pk__in=alike), polarity.NEAR_DUPLICATE)


def add_flag(items: Collection[ReviewItem], flag: str) -> None:
    changed = [item for item in items if flag not in item.flags]
    for item in changed:
        item.flags, item.flagged = sorted({*item.flags, flag}), True
    ReviewItem.objects.bulk_update(changed, ["flags", "flagged"], batch_size=200)

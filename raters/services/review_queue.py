"""The queue of reasons: fill it, offer an expert what comes next, put something off."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from django.db import transaction
from django.db.models import Count, QuerySet

from raters.models import Answer, Rating, ReviewItem, ReviewSkip
from raters.reasons import flags, likeness
from raters.selectors import queue as cards_of
from raters.selectors import reviews as select
from raters.services import queue
from studies.selectors import facts
from studies.services import experts

if TYPE_CHECKING:
    from studies.models import Study

# Answers that are taken up in one transaction; those with the lowest draws come first.
AT_ONCE = 2000
CHUNK = 500


class Row(NamedTuple):
    """An answer that is not in the queue yet."""

    pk: int
    reason: str
    evidence: object
    rater: int
    version: int
    simulated: bool


def fill(*, study: Study, limit: int | None = None, goes_on: Callable[[], bool] = lambda: True) -> int:
    """Take up every answer that is not in the queue yet, or the `limit` with the lowest draws; return how many.

    For a worker, not for a page: it looks at all answers of the study. `goes_on` is asked before each part.
    """
    review = study.definition.review
    if review.mode == "off":
        return 0
    return _take_up(study, cards_of.reasons(study.pk, review), limit, goes_on)


def take_up(*, study: Study, trials: Collection[int]) -> int:
    """Take up the answers to these trials that belong into the queue; return how many."""
    review = study.definition.review
    if review.mode == "off":
        return 0
    return _take_up(study, cards_of.reasons(study.pk, review).filter(pk__in=trials))


def _take_up(
    study: Study,
    answers: QuerySet[Answer],
    limit: int | None = None,
    goes_on: Callable[[], bool] = lambda: True,
) -> int:
    new = answers.filter(review_item=None).values_list("pk", flat=True)
    drawn = {pk: queue.draws("review", study.secret, pk) for pk in new}
    chosen = sorted(drawn, key=lambda pk: drawn[pk])[:limit]
    for start in range(0, len(chosen), AT_ONCE):
        if not goes_on():
            return start
        part = chosen[start : start + AT_ONCE]
        _add(study, {pk: drawn[pk] for pk in part})
    return len(chosen)


def _add(study: Study, drawn: Mapping[int, tuple[float, float]]) -> None:
    """Put these answers, with their draws, into the queue."""
    columns = ("pk", "reason", "evidence", "trial__rater_id", "trial__session__version_id", "trial__session__simulated")
    rows = [Row(*row) for row in Answer.objects.filter(pk__in=drawn).values_list(*columns)]
    labels = _labels(rows)
    items = []
    for row in rows:
        found = sorted(flags.of_answer(labels.get(row.pk, ""), row.reason, row.evidence))
        first, second = drawn[row.pk]
        items.append(
            ReviewItem(
                answer_id=row.pk,
                study=study,
                simulated=row.simulated,
                draw=first,
                double_draw=second,
                flags=found,
                rules=flags.VERSION,
                flagged=bool(found),
                digest=likeness.digest(row.reason),
            )
        )
    with transaction.atomic():
        # Another worker may be taking up the same.
        ReviewItem.objects.bulk_create(items, ignore_conflicts=True, batch_size=200)
        _mark_copies(study.pk, {item.digest for item in items})
        _mark_likes(study.pk, {row.rater for row in rows})


def offer(*, study: Study, user_id: int, now: datetime, count: int = 2, first: str = "") -> list[select.Card]:
    """Return what this expert has before them and what comes next, held for them for a while.

    `first` is the key of an item that they hold and that comes before all others.
    """

    settings = study.definition.review
    waiting = select.waiting(study.pk, settings, user_id)
    following = partial(cards_of.first, skips=ReviewSkip.objects.filter(expert=user_id), settings=settings)
    held = queue.take(waiting, following, user_id=user_id, now=now, count=count, first=first)
    clips = cards_of.clips_of([item.pk for item in held])
    keys = experts.audio_keys(user_id=user_id, clips={clip.clip for each in clips.values() for clip in each})
    return select.cards(held, clips, keys)


def put_off(*, study: Study, user_id: int, key: str, now: datetime) -> None:
    """Let somebody else have an answer; it comes to this expert again after everything else."""
    queue.put_off(ReviewItem, ReviewSkip, study=study, user_id=user_id, key=key, now=now)


def compare(*, study_id: int) -> int:
    """Flag reasons that nearly repeat another rater's, if any came since it was done last; return how many came.

    For a worker, not for a page: seconds for 5,000 reasons.
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
            _flag(ReviewItem.objects.filter(pk__in=alike[start : start + CHUNK]), flags.SHARED)
        for start in range(0, len(new), CHUNK):
            ReviewItem.objects.filter(pk__in=new[start : start + CHUNK]).update(compared=True)
    return len(new)


def compare_all() -> None:
    """Look at every study whose queue has grown."""
    for study in ReviewItem.objects.filter(compared=False).order_by().values_list("study", flat=True).distinct():
        compare(study_id=study)


def _labels(rows: Sequence[Row]) -> dict[int, str]:
    """Return the scored code of each answer; of a screen, none says what the reason is about."""
    parts = {row.version: facts.frozen(row.version).kind.score.part for row in rows}
    wanted = {row.pk: parts[row.version] for row in rows}
    found: dict[int, list[str]] = defaultdict(list)
    for trial, part, code in Rating.objects.filter(trial__in=wanted).values_list("trial_id", "part", "code"):
        if part == wanted[trial]:
            found[trial].append(code)
    return {trial: codes[0] for trial, codes in found.items() if len(codes) == 1}


def _mark_copies(study_id: int, digests: Collection[str]) -> None:
    """Flag all reasons that are the same as another one of the study."""
    same = ReviewItem.objects.filter(study=study_id, digest__in=digests)
    several = same.order_by().values("digest").annotate(number=Count("pk")).filter(number__gt=1)
    _flag(
        ReviewItem.objects.filter(study=study_id, digest__in=list(several.values_list("digest", flat=True))),
        flags.DUPLICATE,
    )


def _mark_likes(study_id: int, raters: Collection[int]) -> None:
    """Flag the reasons that one rater has hardly changed from clip to clip."""
    rows = ReviewItem.objects.filter(study=study_id, answer__trial__rater__in=raters)
    reasons: dict[int, dict[int, str]] = defaultdict(dict)
    for rater, pk, reason in rows.values_list("answer__trial__rater_id", "pk", "answer__reason"):
        reasons[rater][pk] = reason
    alike = {pk for theirs in reasons.values() for pk in likeness.near(theirs)}
    _flag(ReviewItem.objects.filter(pk__in=alike), flags.NEAR_DUPLICATE)


def _flag(items: Collection[ReviewItem], flag: str) -> None:
    changed = [item for item in items if flag not in item.flags]
    for item in changed:
        item.flags, item.flagged = sorted({*item.flags, flag}), True
    ReviewItem.objects.bulk_update(changed, ["flags", "flagged"], batch_size=200)

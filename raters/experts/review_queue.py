"""The queue of reasons: fill it, offer an expert what comes next, put something off, bring something to the front."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction
from django.db.models import Case, Count, IntegerField, OuterRef, QuerySet, Value, When
from django.utils.translation import gettext as _

from core.errors import Conflict
from raters.experts import queue
from raters.experts.models import Review, ReviewItem, ReviewSkip
from raters.rating.models import Answer, Rating, TrialClip
from raters.rating.rules import likeness, polarity
from raters.rating.rules.polarity import MACHINE_DIFFERS
from studies.definition import facts
from studies.definition import queries as definition_queries
from studies.definition.definition import ReviewSettings as Settings
from studies.pool import queries as pool_queries
from studies.spot_checks import experts
from studies.spot_checks.experts import CardClip

if TYPE_CHECKING:
    from studies.definition.models import Study


@dataclass(frozen=True, slots=True)
class ReviewCard:
    """One answer as an expert sees it: no system, no rater, no flags; others' decisions where they differ."""

    key: str
    answers: tuple[tuple[str, str], ...]
    reason: str
    clips: tuple[tuple[CardClip, str], ...]
    decisions: tuple[tuple[str, str], ...] = ()


def in_scope(study_id: int, settings: Settings) -> QuerySet[ReviewItem]:
    """Return the items that the settings want reviewed."""
    return queue.in_scope(ReviewItem.objects.filter(study_id=study_id), settings)


def items_open_to(study_id: int, settings: Settings, user_id: int) -> QuerySet[ReviewItem]:
    """Return the items that this expert may decide: disputed first, then at random; skipped ones last."""
    own = queue.standing(Review).filter(answer=OuterRef("pk"))
    rank = Case(When(state=ReviewItem.State.DISPUTED, then=Value(0)), default=Value(1), output_field=IntegerField())
    order = ["rank", "-flagged"] if settings.mode == "flagged_first" else ["rank"]
    rows = in_scope(study_id, settings).annotate(rank=rank)
    return queue.open_to(rows, user_id, decided=own, skips=ReviewSkip.objects.filter(item=OuterRef("pk")), first=order)


def cards(
    items: Sequence[ReviewItem], clips: Mapping[int, list[CardClip]], keys: Mapping[int, str]
) -> list[ReviewCard]:
    """Return the cards of these items, in their order."""
    pks = [item.pk for item in items]
    columns = ("pk", "reason", "trial__session__version_id")
    answers = {row[0]: row[1:] for row in Answer.objects.filter(pk__in=pks).values_list(*columns)}
    disputed = [item.pk for item in items if item.state == ReviewItem.State.DISPUTED]
    decisions = defaultdict(list)
    for answer, decision, note in (
        # Sorted by decision: the order in time could identify the experts.
        Review.objects.filter(answer__in=disputed, revoked_at=None)
        .order_by("decision")
        .values_list("answer_id", "decision", "note")
    ):
        decisions[answer].append((decision, note))
    labels = queue.labels_of({pk: version for pk, (_reason, version) in answers.items()})
    return [
        ReviewCard(
            key=item.key,
            answers=tuple(labels[item.pk]),
            reason=answers[item.pk][0],
            clips=tuple((clip, keys[clip.clip]) for clip in clips[item.pk]),
            decisions=tuple(decisions[item.pk]),
        )
        for item in items
    ]


def pace(study_id: int, settings: Settings, user_id: int, now: datetime) -> pool_queries.Pace:
    """Return how far everybody is, and how quick this expert; a handful of SELECTs."""
    scope, is_open = in_scope(study_id, settings), items_open_to(study_id, settings, user_id)
    return queue.pace(_mine(study_id, user_id), scope=scope, is_open=is_open, settings=settings, now=now)


def last_of(study_id: int, user_id: int) -> str:
    """Return the key of the decision that this expert made last; empty when there is none."""
    return pool_queries.last_of(_mine(study_id, user_id))


def _mine(study_id: int, user_id: int) -> QuerySet[Review]:
    return Review.objects.filter(study_id=study_id, expert=user_id, revoked_at=None)


def flags_of(answer: int) -> list[str]:
    """Return the flags of an answer; for experts who have already decided it."""
    flags: Any = ReviewItem.objects.filter(pk=answer).values_list("flags", flat=True).first()
    return list(flags or [])


# Answers that are taken up in one transaction; those with the lowest draws come first.
AT_ONCE = 2000
CHUNK = 500


class UnqueuedAnswer(NamedTuple):
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
    return _take_up(study, queue.reasons(study.pk, review), limit, goes_on)


def take_up(*, study: Study, trials: Collection[int]) -> int:
    """Take up the answers to these trials that belong into the queue; return how many."""
    review = study.definition.review
    if review.mode == "off":
        return 0
    return _take_up(study, queue.reasons(study.pk, review).filter(pk__in=trials))


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
    rows = [UnqueuedAnswer(*row) for row in Answer.objects.filter(pk__in=drawn).values_list(*columns)]
    labels = _labels(rows)
    items = []
    for row in rows:
        flags = sorted(polarity.of_answer(labels.get(row.pk, ""), row.reason, row.evidence))
        first, second = drawn[row.pk]
        items.append(
            ReviewItem(
                answer_id=row.pk,
                study=study,
                simulated=row.simulated,
                draw=first,
                double_draw=second,
                flags=flags,
                rules=polarity.VERSION,
                flagged=bool(flags),
                digest=likeness.digest(row.reason),
            )
        )
    with transaction.atomic():
        # Another worker may be taking up the same.
        ReviewItem.objects.bulk_create(items, ignore_conflicts=True, batch_size=200)
        _mark_copies(study.pk, {item.digest for item in items})
        _mark_likes(study.pk, {row.rater for row in rows})


def offer(*, study: Study, user_id: int, now: datetime, count: int = 2, first: str = "") -> list[ReviewCard]:
    """Return what this expert has before them and what comes next, held for them for a while.

    `first` is the key of an item that they hold and that comes before all others.
    """

    settings = study.definition.review
    waiting = items_open_to(study.pk, settings, user_id)
    following = partial(queue.first, skips=ReviewSkip.objects.filter(expert=user_id), settings=settings)
    held = queue.hold_items(waiting, following, user_id=user_id, now=now, count=count, first=first)
    clips = queue.clips_of([item.pk for item in held])
    keys = experts.audio_keys(user_id=user_id, clips={clip.clip for each in clips.values() for clip in each})
    return cards(held, clips, keys)


def put_off(*, study: Study, user_id: int, key: str, now: datetime) -> None:
    """Skip an answer: others may review it, and this expert sees it again after everything else."""
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
            _flag(ReviewItem.objects.filter(pk__in=alike[start : start + CHUNK]), polarity.SHARED)
        for start in range(0, len(new), CHUNK):
            ReviewItem.objects.filter(pk__in=new[start : start + CHUNK]).update(compared=True)
    return len(new)


def compare_all(*, now: datetime) -> None:
    """Look at every study whose queue has grown."""
    for study in ReviewItem.objects.filter(compared=False).order_by().values_list("study", flat=True).distinct():
        compare(study_id=study)


def _labels(rows: Sequence[UnqueuedAnswer]) -> dict[int, str]:
    """Return the scored code of each answer; of a screen, none says what the reason is about."""
    parts = {row.version: facts.frozen(row.version).kind.score.part for row in rows}
    wanted = {row.pk: parts[row.version] for row in rows}
    codes_by_trial: dict[int, list[str]] = defaultdict(list)
    for trial, part, code in Rating.objects.filter(trial__in=wanted).values_list("trial_id", "part", "code"):
        if part == wanted[trial]:
            codes_by_trial[trial].append(code)
    return {trial: codes[0] for trial, codes in codes_by_trial.items() if len(codes) == 1}


def _mark_copies(study_id: int, digests: Collection[str]) -> None:
    """Flag all reasons that are the same as another one of the study."""
    same = ReviewItem.objects.filter(study=study_id, digest__in=digests)
    several = same.order_by().values("digest").annotate(number=Count("pk")).filter(number__gt=1)
    _flag(
        ReviewItem.objects.filter(study=study_id, digest__in=list(several.values_list("digest", flat=True))),
        polarity.DUPLICATE,
    )


def _mark_likes(study_id: int, raters: Collection[int]) -> None:
    """Flag the reasons that one rater has hardly changed from clip to clip."""
    rows = ReviewItem.objects.filter(study=study_id, answer__trial__rater__in=raters)
    reasons: dict[int, dict[int, str]] = defaultdict(dict)
    for rater, pk, reason in rows.values_list("answer__trial__rater_id", "pk", "answer__reason"):
        reasons[rater][pk] = reason
    alike = {pk for theirs in reasons.values() for pk in likeness.near(theirs)}
    _flag(ReviewItem.objects.filter(pk__in=alike), polarity.NEAR_DUPLICATE)


def _flag(items: Collection[ReviewItem], flag: str) -> None:
    changed = [item for item in items if flag not in item.flags]
    for item in changed:
        item.flags, item.flagged = sorted({*item.flags, flag}), True
    ReviewItem.objects.bulk_update(changed, ["flags", "flagged"], batch_size=200)


logger = logging.getLogger(__name__)


def send_to_review(*, study_id: int, clip_ids: Collection[int], by: Any) -> int:
    """Move the answers about these clips to the front of the experts' queue; return how many are undecided.

    Their draws become negative, so that they come before all others, at random among themselves, and belong to any
    share that is reviewed. Raises `Conflict` where experts review nothing in this study.
    """
    study = definition_queries.study_of(study_id)
    if study.definition.review.mode == "off":
        raise Conflict(_("The review of reasons is switched off in this study’s settings."), code="no_review")
    trials = TrialClip.objects.filter(clip__in=clip_ids).values_list("trial", flat=True)
    take_up(study=study, trials=list(trials))
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

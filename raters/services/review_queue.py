"""The queue of reasons: fill it, offer an expert what comes next, put something off."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from django.db import transaction
from django.db.models import Count, Q

from core import rng
from core.errors import Conflict
from raters.models import Answer, Rating, ReviewItem, ReviewSkip
from raters.reasons import flags, likeness
from raters.selectors import reviews as select
from studies.selectors import facts
from studies.services import experts

if TYPE_CHECKING:
    from studies.models import Study

# So long an expert keeps what they look at; each decision gives it anew.
HELD_FOR = timedelta(minutes=15)
# New answers that are taken up at once; those with the lowest draws come first, so that the order stays random.
AT_ONCE = 2000
TRIES = 20


class Row(NamedTuple):
    """An answer that is not in the queue yet."""

    pk: int
    reason: str
    evidence: object
    rater: int
    version: int
    simulated: bool


def draws(secret: str, answer: int) -> tuple[float, float]:
    """Return an answer's two numbers in [0, 1): nobody who lacks the study's secret can foresee them."""
    made = hashlib.sha256(f"review|{secret}|{answer}".encode()).digest()
    return int.from_bytes(made[:6]) / 2**48, int.from_bytes(made[6:12]) / 2**48


def fill(*, study: Study, limit: int = AT_ONCE) -> int:
    """Take up answers that are not in the queue yet, and return how many; one SELECT when there are none."""
    review = study.definition.review
    if review.mode == "off":
        return 0
    new = list(select.reviewable(study.pk, review).filter(review_item=None).values_list("pk", flat=True))
    if not new:
        return 0
    drawn = {pk: draws(study.secret, pk) for pk in new}
    chosen = sorted(new, key=lambda pk: drawn[pk])[:limit]
    columns = ("pk", "reason", "evidence", "trial__rater_id", "trial__session__version_id", "trial__session__simulated")
    rows = [Row(*row) for row in Answer.objects.filter(pk__in=chosen).values_list(*columns)]
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
                flagged=bool(found),
                digest=likeness.digest(row.reason),
            )
        )
    with transaction.atomic():
        # Another tab may be taking up the same.
        ReviewItem.objects.bulk_create(items, ignore_conflicts=True, batch_size=200)
        _mark_copies(study.pk, {item.digest for item in items})
        _mark_likes(study.pk, {row.rater for row in rows})
    return len(items)


def offer(*, study: Study, user_id: int, now: datetime, count: int = 2, first: str = "") -> list[select.Card]:
    """Return what this expert has before them and what comes next, held for them for a while.

    `first` is the key of an item that they hold and that comes before all others.
    """
    held = _hold(study, user_id, now, count, first)
    if len(held) < count and fill(study=study):
        held = _hold(study, user_id, now, count, first)
    clips = select.clips_of(held)
    keys = experts.audio_keys(user_id=user_id, clips={clip.clip for each in clips.values() for clip in each})
    return select.cards(held, clips, keys)


def put_off(*, study: Study, user_id: int, key: str, now: datetime) -> None:
    """Let somebody else have an answer; it comes to this expert again after everything else."""
    with transaction.atomic():
        item = ReviewItem.objects.select_for_update(no_key=True).filter(study=study, key=key, holder=user_id).first()
        if item is None or not key:
            raise Conflict("Somebody else has this one by now. Here is the next.", code="lost")
        ReviewSkip.objects.update_or_create(item=item, expert_id=user_id, defaults={"at": now})
        free(item)


def free(item: ReviewItem) -> None:
    """Let go of a locked item."""
    item.key, item.holder, item.held_until = "", None, None
    item.save(update_fields=["key", "holder", "held_until"])


def hold(item: ReviewItem, *, user_id: int, now: datetime) -> None:
    """Keep a locked item for somebody."""
    item.key, item.holder_id, item.held_until = rng.token(), user_id, now + HELD_FOR
    item.save(update_fields=["key", "holder", "held_until"])


def _hold(study: Study, user_id: int, now: datetime, count: int, first: str) -> Sequence[ReviewItem]:
    """Renew what this expert holds and take more where that is not enough."""
    waiting = select.waiting(study.pk, study.definition.review, user_id)
    # What was taken back may be one more than the two that are on the page.
    mine = sorted(waiting.filter(holder=user_id).exclude(key=""), key=lambda item: item.key != first)
    ReviewItem.objects.filter(pk__in=[item.pk for item in mine], holder=user_id).update(held_until=now + HELD_FOR)
    is_free = Q(holder=None) | Q(held_until__lte=now)
    for _try in range(TRIES):
        if len(mine) >= count:
            break
        others = waiting.filter(is_free).exclude(pk__in=[item.pk for item in mine])
        found = list(others[: count - len(mine)])
        if not found:
            break
        for item in found:
            new = {"key": rng.token(), "holder": user_id, "held_until": now + HELD_FOR}
            # The first to write has it: somebody else may have looked at the same moment.
            if ReviewItem.objects.filter(is_free, pk=item.pk, state=item.state).update(**new):
                item.key = str(new["key"])
                mine.append(item)
    return mine


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

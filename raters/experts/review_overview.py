"""The review of reasons as researchers see it, and its rows for exports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from core.database.paging import paged
from raters.experts.answers import is_usable, of_answer
from raters.experts.models import Review, ReviewItem
from raters.experts.reviewing import REVIEW
from raters.experts.rules import RATER_RULE
from raters.rating.models import TrialClip, Verdict
from studies.decisions.kinds import QueueSettings
from studies.decisions.queue import UNDECIDED, by_expert, count, in_scope, pairs
from studies.rules.agreement import Kappa, kappa

State = ReviewItem.State
INCONSISTENT = Review.Decision.INCONSISTENT
# Raters shown on a page; reviews.csv has all.
MOST_RATERS = 200


@dataclass(frozen=True, slots=True)
class ReviewCounts:
    """Decided and inconsistent reasons of one system or rater."""

    name: str
    decided: int
    inconsistent: int
    is_out: bool = False

    @property
    def percent(self) -> float:
        return 100 * self.inconsistent / self.decided if self.decided else 0.0


@dataclass(frozen=True, slots=True)
class Reviewer:
    """One expert's decisions by kind, and the median seconds between two of them."""

    name: str
    decisions: int
    consistent: int
    inconsistent: int
    cannot_tell: int
    taken_back: int
    seconds: float | None


def counts(study_id: int, settings: QueueSettings) -> dict[str, int]:
    """Count the reasons that are undecided, half decided, disputed and decided, and each decision.

    Undecided ones are counted up to `MOST_COUNTED` + 1.
    """
    items = in_scope(REVIEW, study_id, settings)
    begun = items.filter(state__in=(State.HALF, State.DISPUTED, State.DONE))
    numbers = begun.aggregate(
        half=Count("pk", filter=Q(state=State.HALF)),
        disputed=Count("pk", filter=Q(state=State.DISPUTED)),
        done=Count("pk", filter=Q(state=State.DONE)),
        **{name: Count("pk", filter=Q(decision=name)) for name in Review.Decision.values},
    )
    return {**numbers, "pending": count(items.filter(is_usable()), settings)}


def pending(study_id: int, settings: QueueSettings, *, most: int | None = None) -> int:
    """Count the reasons not decided yet; 0 if the study has no review.

    With `most` (`MOST_COUNTED`), counts up to one more. Without it, counts all: use that in a worker.
    """
    items = in_scope(REVIEW, study_id, settings).filter(is_usable())
    return items.filter(state__in=UNDECIDED).count() if most is None else count(items, settings)


def disputed(study_id: int, settings: QueueSettings) -> int:
    """Count the reasons that need a third expert because two disagree; one SELECT."""
    return in_scope(REVIEW, study_id, settings).filter(state=State.DISPUTED).count()


def experts(study_id: int) -> list[Reviewer]:
    """Return each expert's number of decisions by kind; one SELECT."""
    rows = by_expert(Review.objects.filter(study_id=study_id), "decision")
    return [
        Reviewer(
            name=name,
            decisions=len(valid),
            **{decision: valid.count(decision) for decision in Review.Decision.values},
            taken_back=undone,
            seconds=seconds,
        )
        for name, valid, undone, seconds in rows
    ]


def by_system(study_id: int, settings: QueueSettings) -> list[ReviewCounts]:
    """Count decisions by system; a screen counts for each of its systems."""
    decided = _decided(study_id, settings)
    rows = TrialClip.objects.filter(trial__in=decided.values("pk")).values("clip__system__name")
    wrong = Q(trial__answer__review_item__decision=INCONSISTENT)
    counted = rows.annotate(n=Count("trial", distinct=True), bad=Count("trial", distinct=True, filter=wrong)).order_by(
        "clip__system__name"
    )
    return [ReviewCounts(row["clip__system__name"], row["n"], row["bad"]) for row in counted]


def by_rater(study_id: int, settings: QueueSettings) -> list[ReviewCounts]:
    """Count decisions by rater, most inconsistent first, at most `MOST_RATERS` + 1 raters. Raters are numbers here."""
    rater = "answer__trial__rater_id"
    rows = _decided(study_id, settings).values(rater)
    counted = rows.annotate(n=Count("pk"), bad=Count("pk", filter=Q(decision=INCONSISTENT)))
    ordered = counted.annotate(share=1.0 * F("bad") / F("n")).order_by("-share", "-bad", rater)[: MOST_RATERS + 1]
    rows_by_share = list(ordered.values_list(rater, "n", "bad"))
    out = Verdict.objects.filter(session__study_id=study_id, rule=RATER_RULE, revoked_at=None)
    theirs = out.filter(session__rater__in=[pk for pk, _n, _bad in rows_by_share])
    excluded = set(theirs.values_list("session__rater_id", flat=True))
    return [ReviewCounts(str(pk), n, bad, pk in excluded) for pk, n, bad in rows_by_share]


def agreement(study_id: int, settings: QueueSettings) -> Kappa | None:
    """Return kappa over the random double share, from pairs of valid (first, second) decisions."""
    rows = Review.objects.filter(study_id=study_id, revoked_at=None, doubled=True).exclude(
        purpose=Review.Purpose.ADJUDICATION
    )
    if not settings.simulated:
        rows = rows.filter(answer__trial__session__simulated=False)
    # Descending, so that "first" precedes "double".
    return kappa(pairs(rows.order_by("-purpose").values_list("answer_id", "decision")))


def _decided(study_id: int, settings: QueueSettings) -> QuerySet[ReviewItem]:
    return in_scope(REVIEW, study_id, settings).filter(state=State.DONE)


def has_reviews(study_id: int) -> bool:
    return Review.objects.filter(study_id=study_id).exists()


def of_study(study_id: int, simulated: bool | None) -> QuerySet[Review]:
    """Return the decisions on reasons by real raters (False), simulated ones (True), or both (None)."""
    rows = Review.objects.filter(study_id=study_id)
    return rows if simulated is None else rows.filter(answer__trial__session__simulated=simulated)


def table(study_id: int, simulated: bool | None, **page: Any) -> Iterator[dict[str, Any]]:
    """Yield one row per decision in the order made, including revoked ones; `page` as in `paged`."""
    rows = of_study(study_id, simulated)
    return paged(
        rows.values(
            "pk",
            "decision",
            "purpose",
            "doubled",
            "note",
            "at",
            "revoked_at",
            expert_pk=F("expert_id"),
            flags=F("answer__review_item__flags"),
            rules=F("answer__review_item__rules"),
            state=F("answer__review_item__state"),
            final=F("answer__review_item__decision"),
            **of_answer("answer"),
        ),
        "pk",
        **page,
    )

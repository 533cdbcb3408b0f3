"""Review of reasons: does a rater's text fit the label? Answers that don't are excluded (rule E1)."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.errors import Conflict, Invalid
from raters.experts import answers, rater_limit, review_flags
from raters.experts.models import Review, ReviewItem, ReviewSkip
from raters.experts.rules import RULE
from raters.rating import verdicts
from raters.rating.models import Answer, Trial, TrialClip, Verdict
from raters.rating.rules import likeness, polarity
from raters.rating.rules.polarity import MACHINE_DIFFERS
from studies.decisions import queue
from studies.decisions.holding import OneHolder
from studies.definition import queries as definition_queries
from studies.definition.definition import ReviewSettings
from studies.rules.decisions import Draws

if TYPE_CHECKING:
    from accounts.users.models import User
    from studies.definition.models import Study

logger = logging.getLogger(__name__)


class ReviewKind(answers.AnswerKind):
    """Two experts review a random share; a third one decides if they disagree."""

    name = address = "review"
    template = "raters/experts/review.html"
    title = gettext_lazy("Review reasons")
    about = gettext_lazy("Does what a rater wrote fit the label that they chose?")
    items, decisions, holding = ReviewItem, Review, OneHolder(ReviewSkip)
    of_item = "answer"

    def settings(self, study: Study) -> ReviewSettings:
        return study.definition.review

    def order(self, study: Study) -> tuple[str, ...]:
        return ("-flagged", "draw") if self.settings(study).mode == "flagged_first" else ("draw",)

    def shown(self, items: Sequence[ReviewItem]) -> dict[int, dict[str, Any]]:
        rows = Answer.objects.filter(pk__in=[item.pk for item in items])
        written = list(rows.values_list("pk", "reason", "trial__session__version_id"))
        labels = answers.labels_of({pk: version for pk, _reason, version in written})
        return {pk: {"answers": labels[pk], "reason": reason} for pk, reason, _version in written}

    def record(self, item: ReviewItem, valid: Sequence[Review]) -> dict[str, Any]:
        shown, clips = self.shown([item])[item.pk], self.clips([item])[item.pk]
        words = [shown["reason"], *(clip.text for clip in clips)]
        return {
            "answers": [[label["clip"], label["label"]] for label in shown["answers"]],
            "clips": [clip.clip for clip in clips],
            "texts_sha256": hashlib.sha256(json.dumps(words, ensure_ascii=False).encode()).hexdigest(),
            "decisions": [decision for decision, _note in queue.disputes(self, [item])[item.pk]],
        }

    def lock(self, study: Study, item_pk: int) -> None:
        rater_limit.lock(study, _rater(item_pk), places=self.settings(study).inconsistent_limit is not None)

    def check(self, user: User, item: ReviewItem, sent: Any) -> None:
        if sent.decision not in Review.Decision.values:
            raise Invalid(_("Choose consistent, inconsistent or cannot tell."), {"decision": _("Unknown.")})
        super().check(user, item, sent)

    def columns(self, item: ReviewItem, sent: Any, valid: Sequence[Review]) -> dict[str, Any]:
        columns = super().columns(item, sent, valid)
        if item.state == ReviewItem.State.DISPUTED:
            columns["purpose"] = Review.Purpose.ADJUDICATION
        return {**columns, "decision": sent.decision}

    def settles(self, decision: Review) -> bool:
        return decision.purpose == Review.Purpose.ADJUDICATION

    def follow(
        self,
        item: ReviewItem,
        state: str,
        outcome: str,
        valid: Sequence[Review],
        *,
        by: User,
        now: datetime,
    ) -> None:
        item.state, item.decision = state, outcome
        item.save(update_fields=["state", "decision"])
        active = Verdict.objects.filter(answer=item.pk, rule=RULE, revoked_at=None).first()
        if outcome == Review.Decision.INCONSISTENT and active is None:
            detail = {"reviews": sorted(review.pk for review in valid)}
            verdicts.exclude(answer=item.pk, rule=RULE, by=by, now=now, detail=detail)
        elif outcome != Review.Decision.INCONSISTENT and active is not None:
            verdicts.revoke(verdict_id=active.pk, by=by, now=now)
        rater_limit.judge(item.study, _rater(item.pk), now)

    def reply(self, decision: Review) -> dict[str, Any]:
        # Flags are shown only after the decision, so that they don't influence it.
        flags = ReviewItem.objects.values_list("flags", flat=True).get(pk=decision.answer_id)
        return {"flags": [str(review_flags.LABELS.get(flag, flag)) for flag in flags]}

    def missing(self, study: Study, trials: Collection[int] | None) -> list[tuple[Any, ...]]:
        rows = answers.reasons(study.pk, self.settings(study)).filter(review_item=None)
        return list((rows if trials is None else rows.filter(pk__in=trials)).values_list("pk"))

    def add(self, study: Study, drawn: Mapping[tuple[Any, ...], Draws]) -> None:
        rows = (
            Answer.objects.filter(pk__in=[pk for (pk,) in drawn])
            .select_related("trial__session")
            .only("reason", "evidence", "trial__rater", "trial__session__version", "trial__session__simulated")
        )
        scored = answers.scored({row.pk: row.trial.session.version_id for row in rows})
        items = []
        for row in rows:
            # With several clips on a screen, it's unknown which one the reason is about.
            code = scored[row.pk][0][1] if len(scored[row.pk]) == 1 else ""
            flags = sorted(polarity.of_answer(code, row.reason, row.evidence))
            draw, double_draw = drawn[row.pk,]
            items.append(
                ReviewItem(
                    answer=row,
                    study=study,
                    simulated=row.trial.session.simulated,
                    draw=draw,
                    double_draw=double_draw,
                    flags=flags,
                    rules=polarity.VERSION,
                    flagged=bool(flags),
                    digest=likeness.digest(row.reason),
                )
            )
        with transaction.atomic():
            ReviewItem.objects.bulk_create(items, ignore_conflicts=True, batch_size=200)
            review_flags.mark_copies(study.pk, {item.digest for item in items})
            review_flags.mark_likes(study.pk, {row.trial.rater_id for row in rows})


def _rater(answer: int) -> int:
    return Trial.objects.values_list("rater_id", flat=True).get(pk=answer)


REVIEW = ReviewKind()


def send_to_review(*, study_id: int, clip_ids: Collection[int], by: Any) -> int:
    """Move the answers about these clips to the front of the review queue; return the number of undecided ones.

    Their draws become negative: they precede all others, in random order, and belong to every reviewed share. Raises
    `Conflict` if the study has no review by experts.
    """
    study = definition_queries.study_of(study_id)
    if study.definition.review.mode == "off":
        raise Conflict(_("The review of reasons is switched off in this study’s settings."), code="no_review")
    trials = TrialClip.objects.filter(clip__in=clip_ids).values_list("trial", flat=True)
    REVIEW.fill(study=study, trials=list(trials))
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

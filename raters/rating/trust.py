"""Task types' rules on all answers of a rater in a study: golden questions, hidden reference."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet

from raters.people.models import OVER, Session
from raters.rating.models import CLOSED, Batch, Trial, Verdict
from studies.definition import facts
from studies.rules import validity
from studies.task_types.base import AnswerRow, Sheet


def sheets(*, study: int, rater: int) -> list[Sheet]:
    """Return all answers of a rater in a study, in order, without repeats."""
    trials = Trial.objects.filter(session__study=study, rater=rater, repeat=0, answer__isnull=False)
    answered = trials.order_by("batch_id", "position").prefetch_related("ratings").select_related("session")
    return [
        Sheet(facts.frozen(trial.session.version_id).kind_shown(trial.shown), tuple(rows_of(trial)))
        for trial in answered
    ]


def rows_of(trial: Trial) -> list[AnswerRow]:
    """Return a trial's stored rows as its task type made them."""
    return [
        AnswerRow(row.part, row.code, row.value, row.place, row.question_id, row.note) for row in trial.ratings.all()
    ]


def is_lost(*, session: Session) -> bool:
    """True if the rater's answers so far fail their task's rule, so that more batches are useless."""
    frozen = facts.frozen(session.version_id)
    if not frozen.kind.rule_ends_session:
        return False
    return not frozen.kind.trusts(frozen.params, sheets(study=session.study_id, rater=session.rater_id))


def lock(session: Session) -> None:
    """Lock a rater's sessions in the study, if the task type has a rule on their answers."""
    if facts.frozen(session.version_id).kind.rule:
        list(_of(session).select_for_update(no_key=True).values_list("pk"))


def _of(session: Session) -> QuerySet[Session]:
    return Session.objects.filter(study=session.study_id, rater=session.rater_id).order_by("pk")


def judge(*, session: Session, now: datetime) -> list[int]:
    """Apply the rule to locked sessions, in the caller's transaction; return the batches affected.

    Its verdicts cover all of the rater's sessions in the study, and are revoked when the rule no longer applies.
    """
    frozen = facts.frozen(session.version_id)
    if not frozen.kind.rule:
        return []
    keys = list(_of(session).values_list("pk", flat=True))
    answered = sheets(study=session.study_id, rater=session.rater_id)
    active = Verdict.objects.filter(session__in=keys, rule=frozen.kind.rule, revoked_at=None)
    condemned = set(active.values_list("session_id", flat=True))
    if frozen.kind.trusts(frozen.params, answered):
        changed = condemned
        active.update(revoked_at=now)
    else:
        # Sessions with a verdict revoked by a person stay usable.
        let_off = Verdict.objects.filter(session__in=keys, rule=frozen.kind.rule, detail__has_key="revoked_by")
        changed = set(keys) - condemned - set(let_off.values_list("session_id", flat=True))
        Verdict.objects.bulk_create(
            Verdict(
                session_id=key,
                rule=frozen.kind.rule,
                rule_version=frozen.kind.version,
                usable=False,
                at=now,
                detail={"tasks": len(answered)},
            )
            for key in sorted(changed)
        )
    judged = set(Batch.objects.filter(session__in=changed).values_list("pk", flat=True))
    return sorted(judged | _unchecked(session, now))


def _unchecked(session: Session, now: datetime) -> set[int]:
    """Exclude the batches of an ended session that skipped all its golden questions; return them.

    It is not the rater's fault, but nothing shows that the answers were attentive.
    """
    if session.step not in OVER or not facts.frozen(session.version_id).protocol.golden_share:
        return set()
    trials = Trial.objects.filter(session=session).values_list("shown", "answered_at")
    golden = [answered for shown, answered in trials if shown["golden"]]
    if not golden or any(golden):
        return set()
    batches = Batch.objects.filter(session=session).exclude(state=CLOSED)
    unmarked = set(batches.exclude(verdicts__rule=validity.MISSING).values_list("pk", flat=True))
    Verdict.objects.bulk_create(
        Verdict(batch_id=pk, rule=validity.MISSING, rule_version=validity.VERSION, usable=False, at=now)
        for pk in sorted(unmarked)
    )
    return unmarked

"""Choose the submissions that can be approved, paid, returned or rejected now, with the grounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from decimal import Decimal
from typing import TYPE_CHECKING, TypedDict

from django.db.models import Sum

from core.jobs import DONE
from raters.payments import pay, reconciling
from raters.payments.models import Payment, PaymentList, PlatformStudy, Submission
from raters.payments.reconciling import ComparedRow
from raters.people import rules as people_rules
from raters.people.models import Session
from raters.rating.models import Batch
from raters.sessions.models import FairCheck
from studies.definition.settings.payment import FIXED_RATES

if TYPE_CHECKING:
    from studies.definition.models import Study
    from studies.definition.settings.payment import PaymentSettings as PaySettings

Kind, State, Outcome = PaymentList.Kind, Submission.State, Session.Outcome
# Done, or possibly done.
SPENT = (Payment.State.DONE, Payment.State.SENDING, Payment.State.UNCLEAR)
UNDER_WAY = (State.ACTIVE, State.AWAITING_REVIEW)
# Kinds of final decisions: a submission gets only one.
DECIDES = (Kind.APPROVE, Kind.SCREEN_OUT, Kind.REJECT)
# States for which the platform pays the reward automatically.
REWARDED = (State.AWAITING_REVIEW, State.APPROVED, State.PARTIALLY_APPROVED)


class Grounds(TypedDict, total=False):
    """Why a submission is on the list, as a payment stores it."""

    session: int | None
    outcome: str
    # What our session and the platform's submission differ in.
    differs: list[str]
    clips: int
    valid_batches: int
    # The bonuses that the platform had paid by then.
    bonuses: str
    code: str
    checks: list[people_rules.FailedCheck]


@dataclass(frozen=True, slots=True)
class PaymentCandidate:
    """A submission to act on, with its reasons (`grounds`). A `held` one goes on the list only if a person adds it."""

    submission: Submission
    grounds: Grounds
    amount: Decimal | None = None
    held: bool = False


@dataclass(frozen=True, slots=True)
class PlatformFacts:
    """All data about one platform study that the choice of candidates needs."""

    platform: PlatformStudy
    settings: PaySettings
    rows: list[ComparedRow]
    done: Mapping[int, pay.SessionWork]
    # `acted`: (kind, submission) already spent. `bonuses`: {submission: sum of our bonuses}.
    acted: frozenset[tuple[str, int]]
    bonuses: Mapping[int, Decimal]
    # {submission: kind of its final decision, made or confirmed}.
    decided: Mapping[int, str] = field(default_factory=dict)
    checks: Mapping[int, list[people_rules.AttentionAnswer]] = field(default_factory=dict)


def platform_facts(
    study: Study,
    platform: PlatformStudy,
    rows: list[ComparedRow],
    done: Mapping[int, pay.SessionWork],
    checks: Mapping[int, list[people_rules.AttentionAnswer]],
) -> PlatformFacts:
    """Collect the facts; three SELECTs."""
    spent = Payment.objects.filter(list__platform=platform, state__in=SPENT)
    sums = spent.filter(list__kind=Kind.BONUS).order_by().values_list("submission").annotate(paid=Sum("amount"))
    return PlatformFacts(
        platform=platform,
        settings=pay.as_paid(study.definition.payment, platform.reward, platform.currency),
        rows=[row for row in rows if row.submission is not None and row.submission.platform_id == platform.pk],
        done=done,
        acted=frozenset(spent.values_list("list__kind", "submission")),
        bonuses=dict(sums),
        decided=_decided(platform),
        checks=checks,
    )


def _decided(platform: PlatformStudy) -> dict[int, str]:
    confirmed = Payment.objects.filter(
        list__platform=platform, list__kind__in=DECIDES, list__confirmed_at__isnull=False
    )
    return dict(confirmed.filter(state__in=(Payment.State.PREPARED, *SPENT)).values_list("submission", "list__kind"))


def find_candidates(study: Study, platform: PlatformStudy, kind: str) -> list[PaymentCandidate]:
    """Return the submissions to which `kind` can be applied now, from fresh data."""
    rows = reconciling.rows(study.pk, reconciling.platforms(study.pk))
    return list(candidates(platform_facts(study, platform, rows, pay.work(study.pk), fair_checks(study.pk)), kind))


def fair_checks(
    study_id: int, sessions: Collection[int] | None = None
) -> dict[int, list[people_rules.AttentionAnswer]]:
    """Return {session: its fair attention checks}, for these sessions or all."""
    checks: defaultdict[int, list[people_rules.AttentionAnswer]] = defaultdict(list)
    rows = FairCheck.objects.filter(session__study=study_id, session__simulated=False)
    rows = rows if sessions is None else rows.filter(session__in=sessions)
    for row in rows.order_by("pk"):
        at = row.at.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
        checks[row.session_id].append(people_rules.AttentionAnswer(row.block, row.asked, row.answered, row.passed, at))
    return dict(checks)


def estimate(facts: PlatformFacts) -> int | None:
    """Return the study's duration in minutes as shown to participants."""
    return facts.platform.minutes or facts.settings.minutes


def candidates(facts: PlatformFacts, kind: str) -> Iterator[PaymentCandidate]:
    """Yield the submissions to which `kind` can be applied now, each at most once."""
    for row in facts.rows:
        submission = row.submission
        assert submission is not None
        if submission.is_erased or (kind != Kind.BONUS and _is_over(facts, kind, submission)):
            continue
        # Submitted by another person: a researcher has to check it first.
        if "other_person" in row.differs and kind != Kind.REQUEST_RETURN:
            continue
        amount = bonus(facts, row, submission) if kind == Kind.BONUS else None
        if amount or (kind != Kind.BONUS and CHOOSE[kind](facts, row, submission)):
            held = kind == Kind.APPROVE and is_ambiguous(facts, row)
            yield PaymentCandidate(submission, grounds(facts, row, kind), amount, held)


def _is_over(facts: PlatformFacts, kind: str, submission: Submission) -> bool:
    return (kind, submission.pk) in facts.acted or submission.pk in facts.decided


def is_ambiguous(facts: PlatformFacts, row: ComparedRow) -> bool:
    """True if a payable session could also be rejected, so that a person has to decide.

    A session that ended by failed attention checks is not ambiguous: a person decided its pay.
    """
    if not row.payable or row.outcome == Outcome.FAILED_ATTENTION:
        return False
    return people_rules.may_reject(facts.checks.get(row.session or 0, []), estimate(facts))


def bonus(facts: PlatformFacts, row: ComparedRow, submission: Submission) -> Decimal:
    """Return the amount owed beyond the reward and the bonuses already paid."""
    done = facts.done.get(row.session or 0)
    if not row.payable or done is None or done.outcome in FIXED_RATES:
        return Decimal(0)
    # The known bonus is outdated: something was paid since it was read.
    if submission.unread:
        return Decimal(0)
    if submission.state not in (*REWARDED, State.TIMED_OUT):
        return Decimal(0)
    decided = facts.decided.get(submission.pk)
    if decided == Kind.REJECT or (submission.state == State.AWAITING_REVIEW and is_ambiguous(facts, row)):
        return Decimal(0)
    base, extra = facts.settings.owed(outcome=done.outcome, clips=done.clips, valid_batches=done.valid_batches)
    if submission.state in REWARDED:
        # With pay per session, the reward covers the base pay.
        base = max(Decimal(0), base - (facts.platform.reward or 0)) if facts.settings.per == "clip" else Decimal(0)
    return max(Decimal(0), base + extra - paid(facts, submission))


def paid(facts: PlatformFacts, submission: Submission) -> Decimal:
    """Return all bonuses paid. Once the platform shows ours, its own sum includes them."""
    return max(submission.bonus or Decimal(0), facts.bonuses.get(submission.pk) or Decimal(0))


def _approve(facts: PlatformFacts, row: ComparedRow, submission: Submission) -> bool:
    return bool(row.payable) and row.outcome not in FIXED_RATES and submission.state in UNDER_WAY


def _screen_out(facts: PlatformFacts, row: ComparedRow, submission: Submission) -> bool:
    is_due = bool(row.payable) and row.outcome in FIXED_RATES
    return is_due and submission.state in UNDER_WAY and bool(row.expected_code)


def unread(facts: PlatformFacts) -> int:
    """Count the payable submissions that need a new reading before their bonuses are known."""
    waiting = (row.submission for row in facts.rows if row.payable and row.submission is not None)
    with_bonuses = (*REWARDED, State.TIMED_OUT)
    return sum(each.unread and each.state in with_bonuses and not each.is_erased for each in waiting)


def lacks_code(facts: PlatformFacts) -> int:
    """Count the people who get a fixed pay but can't be paid, because the settings have no code for them."""
    return sum(
        bool(row.payable)
        and row.outcome in FIXED_RATES
        and not row.expected_code
        and row.submission is not None
        and row.submission.state in UNDER_WAY
        for row in facts.rows
    )


def _request_return(facts: PlatformFacts, row: ComparedRow, submission: Submission) -> bool:
    if submission.state != State.AWAITING_REVIEW or submission.return_asked_at is not None:
        return False
    # No payable work here. Undecided sessions are left to a person.
    return row.session is None or row.outcome == "" or row.payable is False or "other_person" in row.differs


def _reject(facts: PlatformFacts, row: ComparedRow, submission: Submission) -> bool:
    if submission.state != State.AWAITING_REVIEW or (row.outcome == Outcome.FAILED_ATTENTION and row.payable):
        return False
    return people_rules.may_reject(facts.checks.get(row.session or 0, []), estimate(facts))


CHOOSE: dict[str, Callable[[PlatformFacts, ComparedRow, Submission], bool]] = {
    Kind.APPROVE: _approve,
    Kind.SCREEN_OUT: _screen_out,
    Kind.REQUEST_RETURN: _request_return,
    Kind.REJECT: _reject,
}


def grounds(facts: PlatformFacts, row: ComparedRow, kind: str) -> Grounds:
    """Return the reasons for listing this submission; stored with the payment."""
    done = facts.done.get(row.session or 0)
    reasons: Grounds = {"session": row.session, "outcome": row.outcome, "differs": list(row.differs)}
    if done is not None:
        reasons |= {"clips": done.clips, "valid_batches": done.valid_batches}
    if kind == Kind.BONUS:
        reasons["bonuses"] = str(paid(facts, row.submission)) if row.submission else "0"
    if kind == Kind.SCREEN_OUT:
        reasons["code"] = row.expected_code
    failed = people_rules.failed(facts.checks.get(row.session or 0, []))
    if failed:
        reasons["checks"] = [{"asked": check.asked, "answered": check.answered, "at": check.at} for check in failed]
    return reasons


def failed_checks(payment: Payment) -> list[people_rules.FailedCheck]:
    """Return the attention checks that a rejection names."""
    reasons: Grounds = payment.grounds
    return reasons.get("checks", [])


def invalid_batches(study_id: int) -> int:
    """Count the real raters' batches that failed their traps; as many are still needed."""
    return Batch.objects.filter(session__study=study_id, session__simulated=False, state=DONE, valid=False).count()

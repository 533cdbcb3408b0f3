"""Runs of drafting: asked for, stopped, continued. Nothing here speaks to a model."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _
from pydantic import ValidationError

from core import jobs
from core.errors import Conflict, Invalid, NotFound
from studies.drafting import queries, targets
from studies.drafting.gate import Gate, Material
from studies.drafting.models import Draft, DraftQuestion, DraftRun
from studies.drafting.rules.plans import (
    MOST_CALLS,
    MOST_TOKENS,
    USUAL_CALLS,
    USUAL_TOKENS,
    GoldenPlan,
    Plan,
    QuestionPlan,
    TextPlan,
)

if TYPE_CHECKING:
    from studies.definition.models import Study

KINDS: dict[str, type[Plan]] = {
    DraftRun.Kind.TEXTS: TextPlan,
    DraftRun.Kind.QUESTIONS: QuestionPlan,
    DraftRun.Kind.GOLDEN: GoldenPlan,
}


def request(
    *,
    study: Study,
    kind: str,
    plan: dict[str, Any],
    user: Any,
    now: datetime,
    budget_tokens: int = USUAL_TOKENS,
    budget_calls: int = USUAL_CALLS,
    people: int = 1,
) -> DraftRun:
    """Queue a run; raises `Invalid`, or `Conflict` while another run of the study is under way."""
    if not targets.is_configured():
        raise Conflict(_("No language model is set up on this server."), code="not_configured")
    checked = _plan(kind, plan)
    problems = _budget_problems(budget_tokens, budget_calls)
    if people not in {1, 2}:
        problems["people"] = _("One or two people decide on each question.")
    if isinstance(checked, TextPlan) and checked.longest < checked.shortest:
        problems["longest"] = _("The longest text must not be shorter than the shortest.")
    if problems:
        raise Invalid(" ".join(problems.values()), problems)
    _check_study(study, checked)
    new = {"kind": kind, "plan": checked.model_dump(mode="json"), "people": people, "created_by": user}
    new |= {"budget_tokens": budget_tokens, "budget_calls": budget_calls, "created_at": now, "queued_at": now}
    with transaction.atomic():
        # Locked, so that two requests don't start two runs.
        type(study)._default_manager.select_for_update(no_key=True).get(pk=study.pk)
        if under_way(study.pk) is not None:
            raise Conflict(_("Another run of this study is under way. Stop it, or wait for its end."), code="under_way")
        return DraftRun.objects.create(study=study, total=_total(checked), **new)


def under_way(study_id: int) -> DraftRun | None:
    """Return the study's run that has not ended."""
    return DraftRun.objects.filter(study=study_id, state__in=[jobs.QUEUED, jobs.RUNNING]).first()


def stop(*, run: DraftRun, now: datetime) -> None:
    """Ask a run to stop after its present requests; raises `Conflict` if it has ended."""
    rows = DraftRun.objects.filter(pk=run.pk)
    if not rows.filter(state__in=[jobs.QUEUED, jobs.RUNNING]).update(stop_asked_at=now):
        raise Conflict(_("This run has already ended."), code="over")
    rows.filter(state=jobs.QUEUED).update(state=jobs.DONE, ended_at=now, ending=DraftRun.Ending.STOPPED)


@transaction.atomic
def resume(*, run: DraftRun, now: datetime) -> None:
    """Queue a run again that ended early; what is there stays, and a used-up budget or share of requests is renewed."""
    row = DraftRun.objects.select_for_update(no_key=True).get(pk=run.pk)
    if not row.is_over or not (row.ending or row.state == jobs.FAILED):
        raise Conflict(_("This run has done everything, or is still under way."), code="not_stopped")
    if under_way(row.study_id) is not None:
        raise Conflict(_("Another run of this study is under way. Stop it, or wait for its end."), code="under_way")
    if not targets.is_configured():
        raise Conflict(_("No language model is set up on this server."), code="not_configured")
    if row.ending == DraftRun.Ending.BUDGET:
        plan = {"budget_tokens": F("budget_tokens") + row.tokens, "budget_calls": F("budget_calls") + row.calls}
        DraftRun.objects.filter(pk=row.pk).update(**plan)
    if row.ending == DraftRun.Ending.SHORT:
        again = {**row.plan, "rounds": row.plan.get("rounds", 1) + 1}
        DraftRun.objects.filter(pk=row.pk).update(plan=again)
    DraftRun.objects.filter(pk=row.pk).update(
        state=jobs.QUEUED, queued_at=now, ended_at=None, error="", ending="", stop_asked_at=None, pauses=F("tries")
    )


def _plan(kind: str, plan: dict[str, Any]) -> Plan:
    try:
        return KINDS[kind].model_validate(plan)
    except KeyError:
        raise NotFound(_("There is no such kind of draft.")) from None
    except ValidationError as error:
        problems = {str(each["loc"][0]): _about(each) for each in error.errors() if each["loc"]}
        raise Invalid(_("Some values can’t be used."), problems) from None


def _about(error: Any) -> str:
    limits = error.get("ctx", {})
    if "ge" in limits:
        return _("Enter a number of {least} or more.").format(least=limits["ge"])
    if "le" in limits:
        return _("Enter a number of at most {most}.").format(most=limits["le"])
    if "min_length" in limits:
        return _("Fill this in, or choose at least one.")
    return _("This value can’t be used.")


def _budget_problems(tokens: int, calls: int) -> dict[str, str]:
    problems = {}
    if not 1 <= tokens <= MOST_TOKENS:
        problems["budget_tokens"] = _("Enter a number from 1 to {most}.").format(most=MOST_TOKENS)
    if not 1 <= calls <= MOST_CALLS:
        problems["budget_calls"] = _("Enter a number from 1 to {most}.").format(most=MOST_CALLS)
    return problems


def _check_study(study: Study, plan: Plan) -> None:
    """Raise unless this study can use such drafts, and the endpoint may have what would be sent."""
    steps = [step for step in plan.steps if step != "blind" or plan.tries]
    gate = Gate(study.pk, is_private=targets.are_private(steps))
    if isinstance(plan, TextPlan):
        gate.check([Material("", plan.box)])
        return
    if not study.definition.kind.asks:
        raise Conflict(_("This study’s task asks no questions about passages."), code="asks_nothing")
    if not study.is_draft:
        raise Conflict(_("The study was launched: questions are drafted before the launch."), code="launched")
    if isinstance(plan, QuestionPlan):
        passages = {passage.pk: passage for passage in queries.passages(study, keys=plan.passages)}
        chosen = [passages[pk] for pk in plan.passages if pk in passages]
        if len(chosen) < len(plan.passages) or not all(passage.body for passage in chosen):
            text = _("Choose passages whose text is known.")
            raise Invalid(text, {"passages": text})
        gate.check(Material(passage.body, passage.box) for passage in chosen)


def _total(plan: Plan) -> int:
    """Return how many steps of progress a run has: its drafts, and for passages one more each."""
    return plan.wanted + (len(plan.passages) if isinstance(plan, QuestionPlan) else 0)


def wanted(run: DraftRun) -> int:
    """Return how many texts or questions a run was asked for."""
    # See `_total`.
    return run.total - len(run.plan.get("passages", ()))


def drafted(run: DraftRun) -> int:
    """Return how many texts or questions a run has drafted."""
    if run.kind == DraftRun.Kind.TEXTS:
        return Draft.objects.filter(run=run, text__isnull=False).count()
    return DraftQuestion.objects.filter(run=run).count()

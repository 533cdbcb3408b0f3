"""Pages of the judge: status, runs, progress, and clips that could not be scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core import clock
from core.errors import DomainError, NotFound
from core.nudge import nudge
from judge.runs import advice, judge_status, queries, run_jobs
from judge.runs.models import JudgeRun
from studies.members.pages import of_study
from studies.summaries import services as summaries

if TYPE_CHECKING:
    from studies.definition.models import Study


@require_http_methods(["GET", "POST"])
@never_cache
@of_study
def judge(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the judge's status and the runs; POST starts a run."""
    if request.method == "POST":
        try:
            profile = judge_status.profile_for(request.POST.get("profile", "")[:200])
        except DomainError as error:
            messages.error(request, error.message)
            return redirect("judge:judge", slug=study.slug)
        row = run_jobs.request_run(study_id=study.pk, profile=profile, user=request.user, now=clock.now())
        nudge(row.task_name, row.pk)
        return redirect("judge:run", slug=study.slug, pk=row.pk)
    who = judge_status.judge_status(study.pk)
    context = {"study": study, "here": "judge:judge", "runs": queries.runs(study.pk), **who._asdict()}
    return render(request, "judge/runs/judge.html", context)


@require_GET
@never_cache
@of_study
def run(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show a run's progress and results; with ?part=1, only the part that changes."""
    row = run_or_404(study, pk)
    shown = summaries.summary(queries.SUMMARY, study, now=clock.now(), choice=str(pk))
    outcome, counts = shown.value, queries.run_counts(row)
    context = {
        "study": study,
        "here": "judge:judge",
        "run": row,
        "shown": shown,
        "outcome": outcome,
        "scored": counts.scored,
        "more": outcome.failed - len(outcome.failures) if outcome else 0,
        "warnings": [(number, advice.WARNINGS.get(name, name)) for name, number in outcome.warnings] if outcome else [],
        "origin": queries.origin_rows(row.origin),
        "is_odd": outcome is not None and outcome.low_mass > outcome.scored / 2 > 0,
    }
    return render(request, f"judge/runs/{'progress' if 'part' in request.GET else 'run'}.html", context)


@require_POST
@of_study
def cancel(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Cancel a run."""
    try:
        run_jobs.cancel(run=run_or_404(study, pk), now=clock.now())
    except DomainError as error:
        messages.error(request, error.message)
    return redirect("judge:run", slug=study.slug, pk=pk)


def run_or_404(study: Study, pk: int) -> JudgeRun:
    try:
        return queries.run(study.pk, pk)
    except NotFound as error:
        raise Http404(error.message) from error

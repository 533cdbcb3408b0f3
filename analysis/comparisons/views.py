"""Metrics vs. listeners: the list of metrics, their figures, import and download."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from analysis.comparisons import comparing, page, result, tables
from analysis.data.access import log_sight, shows_scores
from analysis.data.hiding import is_hiding, scores_are_hidden
from analysis.data.models import Simulated
from analysis.metrics import dnsmos
from analysis.metrics import queries as metrics_queries
from analysis.metrics import sets as metric_sets
from analysis.metrics.forms import MetricFile
from analysis.metrics.models import Comparison, MetricSet
from analysis.metrics.reading import Problem
from core import clock, jobs
from core.errors import DomainError, NotFound
from core.nudge import nudge
from core.web import client_input
from raters.experts.reviewing import send_to_review
from studies.clips import queries as clips_queries
from studies.members.pages import of_study

if TYPE_CHECKING:
    from studies.definition.models import Study

# The most problems of a file that are listed.
PROBLEMS = 50


@require_GET
@never_cache
@of_study
def machines(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the study's metrics, and compare one or two of them with listeners."""
    return render(request, "analysis/metrics/machines.html", whole(request, study))


@require_GET
@never_cache
@of_study
def against(request: HttpRequest, study: Study) -> HttpResponse:
    """Return only the figures, to replace them on the page."""
    return render(request, "analysis/comparisons/against.html", {"study": study, **figures_of(request, study)})


@require_GET
@never_cache
@of_study
def dnsmos_progress(request: HttpRequest, study: Study) -> HttpResponse:
    """Return the progress of DNSMOS, to replace it on the page."""
    return render(request, "analysis/metrics/dnsmos.html", {"study": study, **dnsmos_of(study)})


@require_POST
@of_study
def begin_dnsmos(request: HttpRequest, study: Study) -> HttpResponse:
    """Queue the scoring of all clips."""
    try:
        job = dnsmos.request_run(study_id=study.pk, by=request.user, now=clock.now())
    except DomainError as error:
        messages.error(request, error.message)
    else:
        nudge(job.task_name, job.pk)
    return redirect(reverse("analysis:machines", args=[study.slug]) + "#dnsmos")


@require_POST
@never_cache
@of_study
def import_file(request: HttpRequest, study: Study) -> HttpResponse:
    """Import metric sets from a file, or show the file's problems."""
    form = MetricFile(request.POST, request.FILES)
    problems: Sequence[Problem] = []
    if form.is_valid():
        file = form.cleaned_data.pop("file")
        try:
            sets = metric_sets.import_file(
                study_id=study.pk,
                content=file.read(),
                file_name=file.name,
                by=request.user,
                now=clock.now(),
                **form.cleaned_data,
            )
        except metric_sets.BadFile as error:
            problems = error.found
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("Imported: {names}.").format(names=", ".join(each.name for each in sets)))
            return redirect("analysis:machines", slug=study.slug)
    context = {**whole(request, study), "form": form, "problems": problems[:PROBLEMS], "more": len(problems) - PROBLEMS}
    return render(request, "analysis/metrics/machines.html", context, status=422)


@require_GET
@never_cache
@of_study
@shows_scores
def download(request: HttpRequest, study: Study, what: str) -> StreamingHttpResponse:
    """Send the figures shown, or all clips behind them, as CSV."""
    comparison, sets = chosen(request, study)
    figures = figures_in(comparison)
    if comparison is None or figures is None:
        raise Http404
    if what == "figures":
        rows = tables.figures(figures, sets)
    else:
        rows = tables.clips(result.load_clips(comparison.clips), sets, partial(clips_queries.labels, study.pk))
    name = f"{study.slug}-machines-{what}.csv"
    return StreamingHttpResponse(
        tables.csv_pages(rows),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@require_POST
@of_study
@shows_scores
def second_look(request: HttpRequest, study: Study) -> HttpResponse:
    """Move the answers about the chosen clips to the front of the experts' review queue."""
    clip_ids = set(filter(None, map(client_input.whole_number, request.POST.getlist("clip"))))
    clips = clips_queries.labels(study.pk, clip_ids).keys()
    try:
        number = send_to_review(study_id=study.pk, clip_ids=clips, by=request.user)
    except DomainError as error:
        messages.error(request, error.message)
    else:
        sentence = _("Experts will see these first: {number} answers about {clips} clips.")
        messages.success(request, sentence.format(number=number, clips=len(clips)))
    query = request.POST.get("back", "")
    return redirect(f"{reverse('analysis:machines', args=[study.slug])}?{query}")


def whole(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return the context of the whole page."""
    sets = metrics_queries.sets(study.pk)
    coverage = metrics_queries.coverage(sets, study.pk)
    return {
        "study": study,
        "here": "machines",
        "listed": [(each, coverage[each.pk]) for each in sets],
        "form": MetricFile(),
        **dnsmos_of(study),
        **figures_of(request, study),
    }


def dnsmos_of(study: Study) -> dict[str, Any]:
    return {
        "is_installed": dnsmos.is_installed(),
        "command": dnsmos.INSTALL,
        "job": metrics_queries.last_dnsmos(study.pk),
    }


def figures_of(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return the figures that the query selects, and request newer ones if they are old."""
    context: dict[str, Any] = {"modes": list(Simulated), "is_hidden": scores_are_hidden(study, request.user)}
    if context["is_hidden"]:
        return context
    if is_hiding(study):
        log_sight(request, study)
    comparison, sets = chosen(request, study)
    figures = figures_in(comparison)
    listed = {row.clip for machine in figures.machines for row in machine.apart} if figures else set()
    return {
        **context,
        "sets": list(sets.values()),
        "comparison": comparison,
        "query": address(comparison) if comparison else "",
        "view": page.view(figures, sets, clips_queries.labels(study.pk, listed)) if figures else None,
        "has_failed": comparison is not None and comparison.state == jobs.FAILED,
        "has_review": study.definition.review.mode != "off",
    }


def chosen(request: HttpRequest, study: Study) -> tuple[Comparison | None, dict[int, MetricSet]]:
    """Return the comparison that the query names (default: the newest metric), and the study's metrics."""
    sets = {each.pk: each for each in metrics_queries.sets(study.pk)}
    first = picked(request.GET.get("first", ""), study, sets) or next(iter(sets.values()), None)
    if first is None:
        return None, sets
    second = picked(request.GET.get("second", ""), study, sets)
    mode = request.GET.get("simulated", "")
    comparison, is_due = comparing.request(
        first=first,
        second=None if second == first else second,
        simulated=Simulated(mode) if mode in Simulated.values else Simulated.WITHOUT,
        now=clock.now(),
    )
    if is_due:
        nudge(comparison.task_name, comparison.pk)
    return comparison, sets


def picked(number: str, study: Study, sets: dict[int, MetricSet]) -> MetricSet | None:
    """Return the metric with that number; raises Http404 when the study has no such metric."""
    if not number:
        return None
    try:
        metric = metrics_queries.metric_set(study.pk, client_input.whole_number(number) or 0)
    except NotFound as error:
        raise Http404 from error
    return sets.get(metric.pk)


def figures_in(comparison: Comparison | None) -> result.Figures | None:
    """Return the last computed figures, even while newer ones are being computed."""
    return result.load(comparison.figures) if comparison and comparison.computed_at else None


def address(comparison: Comparison) -> str:
    """Return the query string of this comparison's page."""
    second = comparison.second_id or ""
    return f"first={comparison.first_id}&second={second}&simulated={comparison.simulated}"

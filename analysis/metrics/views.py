"""One metric: its description, the clips without a value, and its deletion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from analysis.metrics import queries, sets
from analysis.metrics.forms import Meaning
from analysis.metrics.models import MetricSet
from core import clock
from core.errors import Invalid, NotFound
from studies.members.pages import of_study
from studies.summaries import services as summaries

if TYPE_CHECKING:
    from studies.definition.models import Study


@require_http_methods(["GET", "POST"])
@never_cache
@of_study
def metric(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show a metric, or (POST) change its name, direction and scale."""
    of = metric_or_404(study, pk)
    form = Meaning(request.POST or None, initial={name: getattr(of, name) for name in Meaning.base_fields})
    if request.method == "POST" and form.is_valid():
        try:
            sets.describe(metric_set=of, **form.cleaned_data)
        except Invalid as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("Saved."))
            return redirect("analysis:metric", slug=study.slug, pk=pk)
    coverage = queries.coverage([of], study.pk)[pk]
    failures = queries.failures(pk, queries.LISTED) if of.failed else {}
    shown = summaries.summary(queries.MISSING, study, now=clock.now(), choice=str(pk)) if coverage.missing else None
    missing = (shown.value or []) if shown else []
    context = {
        "study": study,
        "here": "machines",
        "set": of,
        "form": form,
        "coverage": coverage,
        "failures": failures,
        "more_failures": of.failed - len(failures),
        "shown": shown,
        "missing": missing,
        "more_missing": coverage.missing - len(missing),
        "provenance": provenance(of),
    }
    return render(request, "analysis/metrics/metric.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
@never_cache
@of_study
def remove(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Ask for confirmation, then (POST) delete a metric with its values."""
    of = metric_or_404(study, pk)
    if request.method == "POST":
        sets.remove(metric_set=of)
        messages.success(request, _("{name} is removed.").format(name=of.name))
        return redirect("analysis:machines", slug=study.slug)
    context = {"study": study, "here": "machines", "set": of, "coverage": queries.coverage([of], study.pk)[pk]}
    return render(request, "analysis/metrics/remove.html", context)


def provenance(of: MetricSet) -> list[tuple[str, str]]:
    """Return a metric's origin as (name, value) pairs; long lists as their lengths."""
    listed = []
    for key, value in sorted(of.provenance.items()):
        if isinstance(value, dict):
            listed += [(f"{key}: {inner}", short(each)) for inner, each in value.items()]
        else:
            listed.append((key, short(value)))
    return listed


def short(value: object) -> str:
    if isinstance(value, list) and len(value) > 12:
        return _("{number} entries").format(number=len(value))
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def metric_or_404(study: Study, pk: int) -> MetricSet:
    try:
        return queries.metric_set(study.pk, pk)
    except NotFound as error:
        raise Http404(error.message) from error

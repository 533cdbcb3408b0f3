"""Pre-screening pages: expected scores, clips to listen to first, and holding clips back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from analysis.metrics import queries as metrics_queries
from analysis.metrics.models import MetricSet
from core import clock
from core.errors import DomainError, NotFound
from core.web import client_input
from judge.prescreening import calibration, holds, launch_findings
from judge.prescreening.holds import HoldRule
from studies.clips import figures
from studies.members.pages import of_study
from studies.summaries import services as summaries

if TYPE_CHECKING:
    from studies.definition.models import Study

SHOWN = 200


class HoldForm(forms.Form):
    """Form for a rule that holds clips back; sent in the query string, so that a list can be bookmarked."""

    metric = forms.IntegerField(widget=forms.HiddenInput)
    below = forms.FloatField(
        label=gettext_lazy("Score below"), required=False, widget=forms.NumberInput(attrs={"step": "any"})
    )
    above = forms.FloatField(
        label=gettext_lazy("Score above"), required=False, widget=forms.NumberInput(attrs={"step": "any"})
    )
    failed = forms.BooleanField(label=gettext_lazy("Clips without a score"), required=False)
    low_mass = forms.BooleanField(label=gettext_lazy("Clips with a small label mass"), required=False)
    system = forms.ChoiceField(label=gettext_lazy("Of which system"), required=False)
    role = forms.ChoiceField(
        label=gettext_lazy("Among which clips"),
        required=False,
        choices=[("", gettext_lazy("all")), ("test", gettext_lazy("test clips")), ("traps", gettext_lazy("traps"))],
    )

    def __init__(self, *args: Any, systems: Sequence[str], **options: Any) -> None:
        super().__init__(*args, **options)
        names: list[tuple[str, Any]] = [(name, name) for name in systems]
        self.fields["system"].choices = [("", gettext_lazy("all systems")), *names]  # type: ignore[attr-defined]

    @property
    def rule(self) -> HoldRule:
        """The rule of a valid form."""
        return HoldRule(**self.cleaned_data)


@require_GET
@never_cache
@of_study
def prescreening(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the pre-screening; with a rule in the query string, also the clips it matches."""
    metric = chosen_metric(study, request.GET.get("metric", ""))
    context: dict[str, Any] = {
        "study": study,
        "here": "judge:prescreening",
        "metric": metric,
        "metrics": metrics_queries.sets(study.pk),
        "held": holds.open_holds(study.pk),
    }
    if metric is not None:
        shown = summaries.summary(calibration.SUMMARY, study, now=clock.now(), choice=str(metric.pk))
        context |= {"shown": shown, **preview(request.GET, study, metric)}
        if shown.value is not None:
            result, expectation = shown.value.result, shown.value.expectation
            rows = [(row, (expectation.systems or {}).get(row.name)) for row in result.systems]
            context |= {"found": result, "expected": expectation, "rows": rows}
    return render(request, "judge/prescreening/prescreening.html", context)


@require_POST
@of_study
def hold(request: HttpRequest, study: Study) -> HttpResponse:
    """Hold back the clips shown in the preview."""
    metric = chosen_metric(study, request.POST.get("metric", ""))
    if metric is None:
        raise Http404
    form = HoldForm(request.POST, systems=systems_of(study))
    try:
        if form.is_valid():
            created = holds.hold(
                study_id=study.pk,
                rule=form.rule,
                shown=request.POST.get("shown", ""),
                user=request.user,
                now=clock.now(),
            )
            number = created.clips.count()
            message = ngettext("{number} clip is held back.", "{number} clips are held back.", number)
            messages.success(request, message.format(number=number))
        else:
            messages.error(request, _("The rule is not valid, so nothing is held back. Check its fields."))
    except DomainError as error:
        messages.error(request, error.message)
    return redirect(f"{reverse('judge:prescreening', args=[study.slug])}?metric={metric.pk}")


@require_POST
@of_study
def undo(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Undo a hold."""
    try:
        number = holds.undo(hold=holds.hold_of(study.pk, pk), user=request.user, now=clock.now())
    except NotFound as error:
        raise Http404(error.message) from error
    except DomainError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, ngettext("{n} clip is restored.", "{n} clips are restored.", number).format(n=number))
    return redirect("judge:prescreening", slug=study.slug)


def preview(sent: QueryDict, study: Study, metric: MetricSet) -> dict[str, Any]:
    """Return the form, and the matching clips if it contains a rule."""
    systems = systems_of(study)
    if "preview" not in sent:
        return {"form": HoldForm(initial={"metric": metric.pk}, systems=systems)}
    form = HoldForm(sent, systems=systems)
    if not form.is_valid():
        return {"form": form}
    matched = holds.matches(study.pk, form.rule)
    return {
        "form": form,
        "is_previewed": True,
        "matched": matched,
        "shown": matched[:SHOWN],
        "more": max(0, len(matched) - SHOWN),
        "digest": holds.digest(matched),
        "rule": {name: value for name, value in form.rule.model_dump().items() if value not in {None, "", False}},
    }


def systems_of(study: Study) -> list[str]:
    return sorted({group.system for group in figures.groups(study.pk)})


def chosen_metric(study: Study, wanted: str) -> MetricSet | None:
    """Return the requested metric or the default one; raises Http404."""
    if not wanted:
        return launch_findings.usual(study.pk)
    try:
        return metrics_queries.metric_set(study.pk, client_input.whole_number(wanted) or 0)
    except NotFound as error:
        raise Http404 from error

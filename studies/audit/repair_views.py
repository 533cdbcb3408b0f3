"""The page of a repair: what it would change, heard and measured on some clips of each system, before it is applied."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import median
from typing import Any

from django import forms
from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from core import clock
from core.errors import DomainError, Invalid
from core.files import storage
from studies.audit import overview, previewing, repair_words, repairing, words
from studies.audit.models import AppliedRepair, RepairPreview
from studies.audit.overview import AuditOverview
from studies.audit.previewing import PreviewedClip, RepairException
from studies.clips import figures
from studies.definition.definition import Audio
from studies.definition.form_fields import field_of
from studies.definition.models import Study
from studies.members.pages import log_change, own_page, show, signed_in
from studies.summaries import services as summaries
from studies.summaries.services import ShownSummary

# So many clips that a repair can't change are listed.
EXCEPTIONS = 50


class RepairForm(forms.Form):
    """The value of one repair."""

    def __init__(self, kind: str, data: Any = None, *, value: float | None = None) -> None:
        super().__init__(data, initial={"value": None if value is None else f"{value:g}"})
        field = field_of(kind, Audio.model_fields[kind])
        field.required, field.label, field.help_text = True, repair_words.REPAIRS[kind].field, ""
        self.fields["value"] = field


@own_page()
def repair_page(request: HttpRequest, study: Study, repair: str) -> HttpResponse:
    """Show the newest preview; POST asks for one, applies the repair to all clips, or undoes it."""
    if repair not in repair_words.REPAIRS:
        raise Http404
    job = previewing.newest(study, repair)
    value, shown = (job.value, None) if job is not None else _proposed(study, repair)
    form = RepairForm(repair, value=value)
    if request.method == "POST":
        sent = request.POST if "value" in request.POST else {"value": str(value)}
        form = RepairForm(repair, sent)
        if response := _do(request, study, repair, form):
            return response
    context = {**_preview(study, repair, job, form), "shown": shown}
    return show(request, study, "studies/audit/repair.html", _("Audit"), context)


@require_GET
@own_page()
def repair_status(request: HttpRequest, study: Study, repair: str) -> JsonResponse:
    """Return the progress of the preview for the page's script."""
    job = previewing.newest(study, repair)
    if job is None:
        return JsonResponse({"percent": 0, "done": 0, "total": 0, "over": True})
    return JsonResponse({"percent": job.percent, "done": job.done, "total": job.total, "over": job.is_over})


@require_GET
@own_page()
def repair_audio(request: HttpRequest, study: Study, repair: str, clip: int) -> FileResponse:
    """Return a clip as the previewed repair makes it."""
    job = previewing.newest(study, repair)
    names = {each["clip"]: each["rendition"] for each in job.clips} if job is not None else {}
    if clip not in names:
        raise Http404
    return FileResponse(storage.open_file(names[clip]), content_type="audio/wav")


def _do(request: HttpRequest, study: Study, kind: str, form: RepairForm) -> HttpResponse | None:
    """Do what was asked for; return None, and the reason in the form, where it can't be done."""
    now = clock.now()
    try:
        if "undo" in request.POST:
            repairing.undo(study=study, kinds=[kind], user=signed_in(request), now=now)
            message = _("The repair is undone: the clips are made again from their originals.")
        elif not form.is_valid():
            return None
        elif "apply" in request.POST:
            repairing.apply(study=study, values={kind: form.cleaned_data["value"]}, user=signed_in(request), now=now)
            message = _("Applied to all clips: {repair}.").format(
                repair=repair_words.summary(kind, form.cleaned_data["value"])
            )
        else:
            previewing.request(study=study, kind=kind, value=form.cleaned_data["value"], now=now)
            return redirect("studies:repair", study.slug, kind)
    except DomainError as error:
        problems = error.problems.values() if isinstance(error, Invalid) else ()
        if "undo" in request.POST:
            messages.error(request, error.message)
            return redirect("studies:audit", study.slug)
        form.add_error("value", " ".join([error.message, *problems]))
        return None
    messages.success(request, message)
    log_change(request, study, message)
    return redirect("studies:audit", study.slug)


def _preview(study: Study, kind: str, job: RepairPreview | None, form: RepairForm) -> dict[str, Any]:
    is_done = job is not None and job.is_over and not job.error
    tried = [PreviewedClip(**each) for each in job.clips] if job is not None and is_done else []
    exceptions = [RepairException(**each) for each in job.exceptions] if job is not None and is_done else []
    names = _shown(tried, kind)
    applied = next((row for row in repairing.applied(study) if row.kind == kind), None)
    numbers: Counter[str] = Counter()
    for group in figures.groups(study.pk):
        numbers[group.system] += group.clips
    text = ngettext("Apply to all {number} clip", "Apply to all {number} clips", numbers.total())
    return {
        "kind": kind,
        "label": AppliedRepair.Kind(kind).label,
        "words": repair_words.REPAIRS[kind],
        "form": form,
        "preview": job,
        "job": job if job is not None and not job.is_over else None,
        "is_done": is_done,
        "summary": repair_words.summary(kind, job.value) if job is not None else "",
        "applied": applied,
        "applied_summary": repair_words.summary(kind, applied.value) if applied is not None else "",
        "measures": [words.MEASURES[name] for name in names],
        "systems": _systems(tried, names, numbers),
        "exceptions": [(each.file, repair_words.of_exception(each)) for each in exceptions[:EXCEPTIONS]],
        "exception_count": len(exceptions),
        "more": max(0, len(exceptions) - EXCEPTIONS),
        "apply_label": text.format(number=numbers.total()),
        "is_fixed": not study.is_draft,
    }


def _proposed(study: Study, kind: str) -> tuple[float | None, ShownSummary[AuditOverview] | None]:
    """Return the value to start from, None while a worker looks for it, and as of when it is."""
    if (value := repairing.fixed(kind, study.definition.audio)) is not None:
        return value, None
    shown = summaries.summary(overview.SUMMARY, study, now=clock.now())
    if shown.value is None:
        return None, shown
    return (shown.value.bandwidth if kind == AppliedRepair.Kind.BAND else shown.value.level), shown


def _shown(tried: Sequence[PreviewedClip], kind: str) -> list[str]:
    """Return the measures that a preview shows: noise at an edge only where some clip has it."""
    names = previewing.MEASURES[kind]
    return [name for name in names if name not in words.LEVELS or any(clip.before.get(name) for clip in tried)]


def _systems(tried: Sequence[PreviewedClip], names: Sequence[str], numbers: Counter[str]) -> list[dict[str, Any]]:
    """Return what the page shows of each system: the medians, and each clip that was tried."""
    by_system: defaultdict[str, list[PreviewedClip]] = defaultdict(list)
    for clip in tried:
        by_system[clip.system].append(clip)
    return [
        {
            "name": system,
            "number": numbers[system],
            "tried": len(own),
            "changes": [
                (_median(name, [clip.before for clip in own]), _median(name, [clip.after for clip in own]))
                for name in names
            ],
            "clips": [
                {
                    "clip": clip,
                    "changes": [(_median(name, [clip.before]), _median(name, [clip.after])) for name in names],
                }
                for clip in own
            ],
        }
        for system, own in by_system.items()
    ]


def _median(name: str, measures: Sequence[dict[str, float | None]]) -> str:
    values = [value for each in measures if (value := each.get(name)) is not None]
    return words.MEASURES[name].value(median(values)) if values else "–"

"""A study's page of clips: add them, correct their labels, delete and restore them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounts.uploads import queries
from core import clock
from core.errors import DomainError, Invalid
from core.nudge import nudge
from core.web import client_input
from studies.audit import clip_list
from studies.clips import figures
from studies.clips.models import Clip
from studies.definition.models import Study
from studies.imports import labelling, requests, trap_views
from studies.imports.forms import AddClipsForm
from studies.imports.ingest.manifest import COLUMNS
from studies.imports.label_forms import ManyClipsForm, OneClipForm
from studies.imports.upload_views import form_context, purpose, sending
from studies.members.pages import log_change, may_change, own_page, show, signed_in
from studies.rules.text import ERRORS

# Where a researcher's session keeps the last change of a study's clips, for Undo.
LAST = "last_clip_change"
# Name of the table that static/js/admin makes of dropped files: such an import is called after the files.
PAGE_TABLE = "table.csv"


@own_page()
def clips_page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the clips, and add more."""
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    form = AddClipsForm(*sent, study=study)
    if form.is_valid():
        try:
            return _request_import(request, study, form)
        except DomainError as error:
            problems = error.problems.values() if isinstance(error, Invalid) else ()
            form.add_error(None, " ".join([error.message, *problems]))
    return _show_clips(request, study, form)


def _show_clips(
    request: HttpRequest, study: Study, form: AddClipsForm, table: dict[str, Any] | None = None
) -> HttpResponse:
    """Return the page; `table` is what an unaccepted form adds to its table."""
    groups = figures.groups(study.pk, withdrawn=True)
    counts: dict[str, Counter[str]] = {}
    for group in groups:
        if not group.is_withdrawn:
            counts.setdefault(group.system, Counter())[group.role] += group.clips
    used = {role for by_role in counts.values() for role in by_role}
    roles = [(str(role.value), role.label) for role in Clip.Role if role.value in used]
    context = {
        **form_context(request, study, form),
        "roles": [label for _value, label in roles],
        "rows": [(system, [by_role[role] for role, _label in roles]) for system, by_role in counts.items()],
        "total": sum(by_role.total() for by_role in counts.values()),
        "has_any": bool(groups),
        **clip_list.context(study, groups, request.GET),
        **_label_context(request, study),
        **(table or {}),
        "trap_origins": trap_views.origins(study, request.user),
        "questions": study.questions.count(),
        "imports": study.imports.select_related("created_by")[:20],
        "columns": COLUMNS,
        "role_values": list(Clip.Role.values),
        "errors": ERRORS,
    }
    return sending(show(request, study, "studies/audit/clips.html", _("Clips"), context))


def _label_context(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return what the table needs to change clips; empty without the right to change them, or after the launch."""
    if not study.is_draft or not may_change(study, request.user):
        return {}
    last = request.session.get(LAST)
    edited = _own_clips(study, [request.GET.get("edit", "")]).select_related("system", "text").first()
    return {
        "is_editable": True,
        "many_form": ManyClipsForm(),
        "edited": edited.pk if edited else None,
        "one_form": OneClipForm.of(edited) if edited else None,
        "last": last if last and last["study"] == study.pk else None,
    }


@require_POST
@own_page()
def clip_labels(request: HttpRequest, study: Study) -> HttpResponse:
    """Change, delete, restore or remove the selected clips of a draft, or undo the last change."""
    do = request.POST.get("do", "")
    try:
        if do in {"change", "edit"}:
            return _relabel(request, study, is_one=do == "edit")
        if do in {"delete", "restore", "remove"}:
            return _delete_or_restore(request, study, do)
        return _undo(request, study)
    except DomainError as error:
        messages.error(request, error.message)
        return HttpResponseRedirect(_address(request, study, anchor="#top"))


def _relabel(request: HttpRequest, study: Study, *, is_one: bool) -> HttpResponse:
    form = OneClipForm(request.POST, auto_id="one_%s") if is_one else ManyClipsForm(request.POST)
    clips = _selected(request, study)
    if form.is_valid():
        try:
            changed = labelling.relabel(study=study, clips=clips, labels=form.labels, now=clock.now())
        except Invalid as error:
            form.add_error(None, " ".join([error.message, *error.problems.values()]))
        else:
            if not changed.number:
                messages.info(request, _("Nothing was changed: the clips have these labels already."))
                return HttpResponseRedirect(_address(request, study, anchor="#top"))
            message = ngettext(
                "The labels of {number} clip were changed: {labels}.",
                "The labels of {number} clips were changed: {labels}.",
                changed.number,
            )
            labels = ", ".join(f"{name} = {value or '–'}" for name, value in form.labels.items())
            return _done(request, study, message.format(number=changed.number, labels=labels), changed)
    chosen = {key for each in request.POST.getlist("clip") if (key := client_input.whole_number(each)) is not None}
    table: dict[str, Any] = {"selected": chosen, "is_all": bool(request.POST.get("all"))}
    table |= {"one_form": form, "edited": min(chosen, default=None)} if is_one else {"many_form": form}
    return _show_clips(request, study, AddClipsForm(study=study), table)


def _delete_or_restore(request: HttpRequest, study: Study, do: str) -> HttpResponse:
    clips, now = _selected(request, study), clock.now()
    if do == "delete":
        changed = labelling.delete(study=study, clips=clips, now=now)
        message = ngettext("{number} clip was deleted.", "{number} clips were deleted.", changed.number)
        return _done(request, study, message.format(number=changed.number), changed)
    if do == "restore":
        number = labelling.restore(study=study, clips=clips, now=now)
        message = ngettext("{number} clip was restored.", "{number} clips were restored.", number)
    else:
        number = labelling.remove(study=study, clips=clips, now=now)
        message = ngettext("{number} clip was permanently deleted.", "{number} clips were permanently deleted.", number)
    return _done(request, study, message.format(number=number))


def _undo(request: HttpRequest, study: Study) -> HttpResponse:
    last = request.session.get(LAST)
    if not last or last["study"] != study.pk:
        messages.info(request, _("There is no change to undo."))
        return HttpResponseRedirect(_address(request, study, anchor="#top"))
    number = labelling.undo(study=study, change=last["change"], now=clock.now())
    message = ngettext(
        "The last change of {number} clip was undone.", "The last change of {number} clips was undone.", number
    )
    return _done(request, study, message.format(number=number))


def _done(request: HttpRequest, study: Study, message: str, changed: labelling.Changed | None = None) -> HttpResponse:
    """Write the study's history; keep the change for Undo, or say what happened where there is no Undo."""
    log_change(request, study, message)
    request.session.pop(LAST, None)
    if changed is not None:
        request.session[LAST] = {"study": study.pk, "message": message, "change": changed.undo}
        return HttpResponseRedirect(_address(request, study, anchor="#table"))
    messages.success(request, message)
    return HttpResponseRedirect(_address(request, study, anchor="#top"))


def _request_import(request: HttpRequest, study: Study, form: AddClipsForm) -> HttpResponse:
    archive, manifest = form.cleaned_data["archive"], form.cleaned_data["manifest"]
    folder, upload = form.cleaned_data["folder"], None
    archive_name = folder or (archive.name if archive else "")
    if not archive_name:
        upload = queries.upload(signed_in(request).pk, form.cleaned_data["upload"], purpose(study))
        archive_name = upload.name
    name = manifest.name if manifest and manifest.name != PAGE_TABLE else archive_name
    row = requests.request_import(
        study=study,
        user=signed_in(request),
        manifest=manifest,
        manifest_name=name,
        archive=archive if not folder else None,
        archive_name=archive_name,
        upload=upload,
        folder=folder,
        questions=form.cleaned_data.get("questions"),
        golden=form.cleaned_data.get("golden"),
        choices=form.choices,
        now=clock.now(),
    )
    nudge(row.task_name, row.pk)
    log_change(request, study, _("Clips were uploaded: {name}.").format(name=name))
    return redirect("studies:import", study.slug, row.pk)


def _own_clips(study: Study, keys: list[str]) -> QuerySet[Clip]:
    numbers = [number for key in keys if (number := client_input.whole_number(key)) is not None]
    return Clip.objects.filter(study=study, pk__in=numbers)


def _selected(request: HttpRequest, study: Study) -> QuerySet[Clip]:
    """Return all clips that match the address's filters, or those that were selected."""
    if request.POST.get("all"):
        return clip_list.matching(study, clip_list.Filters.of(request.GET))
    return _own_clips(study, request.POST.getlist("clip"))


def _address(request: HttpRequest, study: Study, *, anchor: str) -> str:
    """Return the address of the table with the filters and the page that were shown."""
    number = client_input.whole_number(request.GET.get("page", "")) or 1
    return (
        f"{reverse('studies:clips', args=[study.slug])}?{clip_list.Filters.of(request.GET).query}page={number}{anchor}"
    )

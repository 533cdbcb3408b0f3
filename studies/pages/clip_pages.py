"""A study's page of clips: add them, correct their labels, delete and restore them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounts.users.models import User
from core import clock
from core.errors import DomainError, Invalid
from core.nudge import nudge
from core.web import client_input
from studies.clips import figures
from studies.clips.models import Clip
from studies.definition.models import Study
from studies.imports import labelling, requests, uploads
from studies.imports.forms import AddClipsForm
from studies.imports.ingest.manifest import COLUMNS
from studies.pages import clip_list
from studies.pages.clip_form import ManyClipsForm, OneClipForm
from studies.pages.frame import page
from studies.pages.study_pages import StudyPages
from studies.rules.roles import Capability
from studies.rules.text import ERRORS

# Where a researcher's session keeps the last change of a study's clips, for Undo.
LAST = "last_clip_change"


class ClipPages(StudyPages):
    """The page of clips, and what its table sends."""

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("<int:pk>/clips/", wrap(self.clips_page), name="studies_study_clips"),
            path("<int:pk>/clips/labels/", wrap(self.clip_labels), name="studies_study_clip_labels"),
            *super().get_urls(),
        ]

    def clips_page(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the clips, and add more."""
        study = self._own(request, pk, write=request.method == "POST")
        sent = (request.POST, request.FILES) if request.method == "POST" else ()
        form = AddClipsForm(*sent, asks=study.definition.kind.asks)
        if form.is_valid():
            try:
                return self._request_import(request, study, form)
            except DomainError as error:
                problems = error.problems.values() if isinstance(error, Invalid) else ()
                form.add_error(None, " ".join([error.message, *problems]))
        return self._show_clips(request, study, form)

    def _show_clips(
        self, request: HttpRequest, study: Study, form: AddClipsForm, table: dict[str, Any] | None = None
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
            **self.form_context(request, study, form),
            "roles": [label for _value, label in roles],
            "rows": [(system, [by_role[role] for role, _label in roles]) for system, by_role in counts.items()],
            "total": sum(by_role.total() for by_role in counts.values()),
            "has_any": bool(groups),
            **clip_list.context(study, groups, request.GET),
            **self._label_context(request, study),
            **(table or {}),
            "questions": study.questions.count(),
            "imports": study.imports.select_related("created_by")[:20],
            "columns": COLUMNS,
            "role_values": list(Clip.Role.values),
            "errors": ERRORS,
        }
        return self.sending(self._show(request, study, "clips", context))

    def _label_context(self, request: HttpRequest, study: Study) -> dict[str, Any]:
        """Return what the table needs to change clips; nothing for whoever may not, or after the launch."""
        if not study.is_draft or not self.has_change_permission(request, study):
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

    @method_decorator(require_POST)
    def clip_labels(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Change, delete, restore or remove the selected clips of a draft, or undo the last change."""
        study = self._own(request, pk, write=True, needs=Capability.CHANGE_STUDY)
        do = request.POST.get("do", "")
        try:
            if do in {"change", "edit"}:
                return self._relabel(request, study, is_one=do == "edit")
            if do in {"delete", "restore", "remove"}:
                return self._delete_or_restore(request, study, do)
            return self._undo(request, study)
        except DomainError as error:
            messages.error(request, error.message)
            return HttpResponseRedirect(_address(request, study, anchor="#top"))

    def _relabel(self, request: HttpRequest, study: Study, *, is_one: bool) -> HttpResponse:
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
                return self._done(request, study, message.format(number=changed.number, labels=labels), changed)
        chosen = {key for each in request.POST.getlist("clip") if (key := client_input.whole_number(each)) is not None}
        table: dict[str, Any] = {"selected": chosen, "is_all": bool(request.POST.get("all"))}
        table |= {"one_form": form, "edited": min(chosen, default=None)} if is_one else {"many_form": form}
        return self._show_clips(request, study, AddClipsForm(asks=study.definition.kind.asks), table)

    def _delete_or_restore(self, request: HttpRequest, study: Study, do: str) -> HttpResponse:
        clips, now = _selected(request, study), clock.now()
        if do == "delete":
            changed = labelling.delete(study=study, clips=clips, now=now)
            message = ngettext("{number} clip was deleted.", "{number} clips were deleted.", changed.number)
            return self._done(request, study, message.format(number=changed.number), changed)
        if do == "restore":
            number = labelling.restore(study=study, clips=clips, now=now)
            message = ngettext("{number} clip was restored.", "{number} clips were restored.", number)
        else:
            number = labelling.remove(study=study, clips=clips, now=now)
            message = ngettext(
                "{number} clip was permanently deleted.", "{number} clips were permanently deleted.", number
            )
        return self._done(request, study, message.format(number=number))

    def _undo(self, request: HttpRequest, study: Study) -> HttpResponse:
        last = request.session.get(LAST)
        if not last or last["study"] != study.pk:
            messages.info(request, _("There is no change to undo."))
            return HttpResponseRedirect(_address(request, study, anchor="#top"))
        number = labelling.undo(study=study, change=last["change"], now=clock.now())
        message = ngettext(
            "The last change of {number} clip was undone.", "The last change of {number} clips was undone.", number
        )
        return self._done(request, study, message.format(number=number))

    def _done(
        self, request: HttpRequest, study: Study, message: str, changed: labelling.Changed | None = None
    ) -> HttpResponse:
        """Write the study's history; keep the change for Undo, or say what happened where there is no Undo."""
        self.log_change(request, study, message)
        request.session.pop(LAST, None)
        if changed is not None:
            request.session[LAST] = {"study": study.pk, "message": message, "change": changed.undo}
            return HttpResponseRedirect(_address(request, study, anchor="#table"))
        messages.success(request, message)
        return HttpResponseRedirect(_address(request, study, anchor="#top"))

    def _request_import(self, request: HttpRequest, study: Study, form: AddClipsForm) -> HttpResponse:
        sent, manifest = form.cleaned_data["archive"], form.cleaned_data["manifest"]
        folder: str = form.cleaned_data["folder"]
        assert isinstance(request.user, User)
        if folder:
            archive, archive_name = None, folder
        else:
            archive, archive_name = (sent, sent.name) if sent else self._sent_before(request.user, study, form)
        name = manifest.name if manifest else archive_name
        row = requests.request_import(
            study=study,
            user=request.user,
            manifest=manifest,
            manifest_name=name,
            archive=archive,
            archive_name=archive_name,
            folder=folder,
            questions=form.cleaned_data.get("questions"),
            golden=form.cleaned_data.get("golden"),
            now=clock.now(),
        )
        nudge(row.task_name, row.pk)
        self.log_change(request, study, _("Clips were uploaded: {name}.").format(name=name))
        return HttpResponseRedirect(page("import", study.pk, row.pk))

    def _sent_before(self, user: User, study: Study, form: AddClipsForm) -> tuple[Callable[[], str], str]:
        """Return a function that takes the archive that the script uploaded in parts, and its name."""
        upload = uploads.upload(study_id=study.pk, owner_id=user.pk, key=form.cleaned_data["upload"])
        return lambda: uploads.take(upload=upload), upload.name


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
    return f"{page('clips', study.pk)}?{clip_list.Filters.of(request.GET).query}page={number}{anchor}"

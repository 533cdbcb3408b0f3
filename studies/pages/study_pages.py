"""A study's pages for imports and the launch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from core import clock, rng
from core.errors import DomainError
from core.nudge import nudge
from studies.audit import measuring
from studies.clips.models import ClipImport
from studies.definition.models import Study
from studies.imports import renditions
from studies.imports.forms import AddClipsForm
from studies.imports.report import as_csv, shown
from studies.imports.upload_views import UploadPages
from studies.launch import states
from studies.members import access
from studies.pages import launch_list
from studies.pages.frame import frame, page, panels_of
from studies.rules.roles import Capability

REPORT_ROWS = 200


def _launch(study: Study) -> str:
    states.launch(study=study, now=clock.now(), rng=rng.fresh())
    return _("The study is live: raters can start through its link.")


def _publish(study: Study) -> str:
    version = states.publish(study=study, now=clock.now())
    return _("Version {number} is published: it applies to raters who start from now on.").format(number=version.number)


def _pause(study: Study) -> str:
    states.pause(study=study)
    return _("The study is paused.")


def _resume(study: Study) -> str:
    states.resume(study=study)
    return _("The study is live again.")


def _close(study: Study) -> str:
    states.close(study=study)
    return _("The study is closed.")


def _reopen(study: Study) -> str:
    states.reopen(study=study)
    return _("The study was reopened and is paused. Resume it when you are ready.")


PAGES = {
    "clips": gettext_lazy("Clips"),
    "texts": gettext_lazy("Texts"),
    "questions": gettext_lazy("Questions"),
    "audit": gettext_lazy("Audit"),
    "launch": gettext_lazy("Launch"),
    "experts": gettext_lazy("Experts"),
    "languages": gettext_lazy("Languages"),
    "members": gettext_lazy("Members"),
}
MOVES: dict[str, Callable[[Study], str]] = {
    "launch": _launch,
    "publish": _publish,
    "pause": _pause,
    "resume": _resume,
    "close": _close,
    "reopen": _reopen,
}


def _back(request: HttpRequest) -> str:
    """Return the page of this server that a form came from, if it names one."""
    url = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(url, allowed_hosts=None)
    return url if is_ours else ""


class StudyPages(UploadPages):
    """Views below a study's address in the admin."""

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        own = [
            path("<int:pk>/imports/<int:job>/", wrap(self.import_page), name="studies_study_import"),
            path("<int:pk>/imports/<int:job>/status/", wrap(self.import_status), name="studies_study_import_status"),
            path("<int:pk>/imports/<int:job>/report.csv", wrap(self.import_report), name="studies_study_import_report"),
            path("<int:pk>/launch/", wrap(self.launch_page), name="studies_study_launch"),
            path("<int:pk>/move/<slug:move>/", wrap(self.move), name="studies_study_move"),
        ]
        return own + super().get_urls()

    def import_page(self, request: HttpRequest, pk: int, job: int) -> HttpResponse:
        """Show the progress of an import, and its problems at the end; start a failed conversion again."""
        study, row = self._own_import(request, pk, job, write=request.method == "POST")
        if request.method == "POST":
            renditions.request(study, clock.now())
            if (queued := renditions.waiting(study)) is not None:
                row = queued
                nudge(row.task_name, row.pk)
            return HttpResponseRedirect(page("import", study.pk, row.pk))
        groups = shown(row.report)
        context = {
            "job": row,
            "report": groups[:REPORT_ROWS],
            "refusals": row.refusals,
            "needs_questions": study.definition.kind.asks and not study.questions.exists(),
            "more": max(0, len(groups) - REPORT_ROWS),
            **self.form_context(request, study, AddClipsForm(asks=study.definition.kind.asks)),
        }
        return self.sending(self._show(request, study, "clips", context, template="import"))

    @method_decorator(require_GET)
    def import_status(self, request: HttpRequest, pk: int, job: int) -> JsonResponse:
        """Return the progress of an import for the page's script, and whether it is done."""
        _study, row = self._own_import(request, pk, job)
        return JsonResponse({"percent": row.percent, "done": row.done, "total": row.total, "over": row.is_over})

    @method_decorator(require_GET)
    def import_report(self, request: HttpRequest, pk: int, job: int) -> HttpResponse:
        """Return the complete report as CSV."""
        study, row = self._own_import(request, pk, job)
        response = HttpResponse(as_csv(row.report), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{study.slug}-import-{row.pk}.csv"'
        return response

    @method_decorator(require_GET)
    def launch_page(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show what the launch checks found, what the launch asks of raters, and the buttons for the study's state."""
        study = self._own(request, pk)
        job = measuring.newest(study)
        context = {**launch_list.context(study, clock.now()), "panels": panels_of(study)}
        return self._show(request, study, "launch", {**context, "job": job if job and not job.is_over else None})

    @method_decorator(require_POST)
    def move(self, request: HttpRequest, pk: int, move: str) -> HttpResponse:
        """Launch, publish, pause, resume, close or reopen."""
        if move not in MOVES:
            raise Http404
        needs = Capability.CLOSE_STUDY if move in {"close", "reopen"} else Capability.CHANGE_STUDY
        study = self._own(request, pk, write=True, needs=needs)
        try:
            message = MOVES[move](study)
        except DomainError as error:
            messages.error(request, error.message)
        else:
            messages.success(request, message)
            self.log_change(request, study, message)
        return HttpResponseRedirect(_back(request) or page("launch", study.pk))

    def _own_import(self, request: HttpRequest, pk: int, job: int, *, write: bool = False) -> tuple[Study, ClipImport]:
        study = self._own(request, pk, write=write)
        row = study.imports.select_related("created_by").filter(pk=job).first()
        if row is None:
            raise Http404
        return study, row

    def _show(
        self, request: HttpRequest, study: Study, here: str, context: dict[str, Any], template: str = ""
    ) -> HttpResponse:
        shared = {
            **self.admin_site.each_context(request),
            **frame(study, request),
            "opts": self.opts,
            "title": study.title,
            "subtitle": PAGES[here],
            "may_change": self.has_change_permission(request, study),
            "may": access.allowed(study, request.user),
        }
        return TemplateResponse(request, f"admin/studies/study/{template or here}.html", {**shared, **context})

"""Request an export, watch its progress, download it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from django.core.exceptions import PermissionDenied
from django.db.models import TextChoices
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from analysis.data.access import log_sight
from analysis.data.hiding import scores_are_hidden
from analysis.data.models import Simulated
from analysis.exports import building
from analysis.exports.models import Export, Format, Layout, Profile
from core import clock, jobs
from core.errors import Conflict, Invalid, NotFound
from core.files import storage
from core.nudge import nudge
from studies.members import access
from studies.members.pages import for_capability
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from studies.definition.models import Study


# The permission to see platform ids, granted by a superuser; a study's payer doesn't need it.
PAYS = "raters.view_identity"
C = TypeVar("C", bound=TextChoices)


@require_http_methods(["GET", "POST"])
@never_cache
@for_capability(Capability.EXPORT)
def export(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the form of an export, or (POST) request one."""
    problems: list[str] = []
    if request.method == "POST":
        try:
            return begin(request, study)
        except Invalid as error:
            problems = list(error.problems.values())
        except Conflict as error:
            problems = [error.message]
    chosen = request.POST if request.method == "POST" else request.GET
    pays = may_see_people(request, study)
    sees_study = access.may(study, request.user, Capability.SEE_STUDY)
    profiles = [profile for profile in Profile if (pays if profile == Profile.PAYMENT else sees_study)]
    profile = picked(Profile, chosen.get("profile"))
    context = {
        "study": study,
        "modes": list(Simulated),
        "formats": list(Format),
        "layouts": list(Layout),
        "profiles": profiles,
        "pays": pays,
        "sees_study": sees_study,
        "is_hidden": scores_are_hidden(study, request.user),
        "chosen": picked(Simulated, chosen.get("simulated")),
        "chosen_format": picked(Format, chosen.get("format")),
        "chosen_layout": picked(Layout, chosen.get("layout")),
        "chosen_profile": profile if profile in profiles else next(iter(profiles), None),
        "problems": problems,
        "exports": building.recent_exports(study.pk, 20),
    }
    return render(request, "analysis/exports/export.html", context, status=422 if problems else 200)


def begin(request: HttpRequest, study: Study) -> HttpResponse:
    """Queue the chosen export, and redirect to its page."""
    profile = picked(Profile, request.POST.get("profile"))
    refuse(request, study, profile)
    row = building.request_export(
        study_id=study.pk,
        simulated=picked(Simulated, request.POST.get("simulated")),
        format=picked(Format, request.POST.get("format")),
        layout=picked(Layout, request.POST.get("layout")),
        profile=profile,
        user=request.user,
        now=clock.now(),
    )
    if not row.is_over:
        nudge(row.task_name, row.pk)
    return redirect("analysis:export_detail", slug=study.slug, pk=row.pk)


def may_see_people(request: HttpRequest, study: Study) -> bool:
    """True if this user may see platform ids: as the study's payer, or by role and permission on this server."""
    return access.may_with_right(study, request.user, Capability.SEE_PLATFORM_IDS, PAYS)


def refuse(request: HttpRequest, study: Study, profile: str) -> None:
    """Raise PermissionDenied if this user may not have this profile."""
    if profile == Profile.PAYMENT:
        is_allowed = may_see_people(request, study)
    else:
        is_allowed = access.may(study, request.user, Capability.SEE_STUDY)
    if not is_allowed:
        raise PermissionDenied


def picked(choices: type[C], value: str | None) -> C:
    """Return the choice with this value; the default is the first."""
    return choices(value) if value in choices.values else next(iter(choices))


@require_GET
@never_cache
@for_capability(Capability.EXPORT)
def export_detail(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show an export's progress, then its download; with ?part=1, only the part that changes."""
    row = export_or_404(study, pk)
    context = {
        "study": study,
        "export": row,
        "has_withheld_words": building.has_withheld_words(row, study, request.user),
    }
    return render(request, f"analysis/exports/{'progress' if 'part' in request.GET else 'export_detail'}.html", context)


@require_GET
@never_cache
@for_capability(Capability.EXPORT)
def export_download(request: HttpRequest, study: Study, pk: int) -> HttpResponseBase:
    """Send the ZIP, unless it has data that this user may not see."""
    row = export_or_404(study, pk)
    if row.state != jobs.DONE or not row.file:
        raise Http404
    refuse(request, study, row.profile)
    if building.has_withheld_words(row, study, request.user):
        raise PermissionDenied
    if row.profile != Profile.PAYMENT and not row.is_blind:
        if scores_are_hidden(study, request.user):
            return render(request, "analysis/data/hidden.html", {"study": study}, status=403)
        log_sight(request, study)
    kind = "-".join(part for part in (row.simulated, row.layout, row.profile) if part not in {"own", "analysis"})
    name = f"{study.slug}-{kind}-{row.created_at:%Y%m%d-%H%M%S}.zip"
    try:
        file = storage.open_file(row.file)
    except FileNotFoundError as error:
        # A newer export has just replaced it.
        raise Http404 from error
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")


def export_or_404(study: Study, pk: int) -> Export:
    try:
        return building.export(study.pk, pk)
    except NotFound as error:
        raise Http404(error.message) from error

"""The list of studies, and the pages of a study that belong to no other app."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from analysis.data.access import of_study, staff
from analysis.live import snapshots
from core.errors import NotFound
from raters.people import links
from raters.sessions import balance
from studies.definition import presets
from studies.definition import queries as definition_queries
from studies.members import access
from studies.pages.frame import frame, steps
from workspace.frame import NextStep, next_step

if TYPE_CHECKING:
    from studies.definition.models import Study

# Studies that collect come first, then those to finish.
ORDER = ("live", "paused", "draft", "closed")


@dataclass(frozen=True, slots=True)
class Progress:
    """Usable ratings up to those wanted, ratings wanted, and sessions of real raters."""

    filled: int
    wanted: int
    sessions: int


@dataclass(frozen=True, slots=True)
class StudyRow:
    """A study on the home page; `role` is empty for one's own, `progress` None before its first figures."""

    study: Study
    preset: str
    role: str
    progress: Progress | None
    next_step: NextStep


@require_GET
@never_cache
@staff
def home(request: HttpRequest) -> HttpResponse:
    """List the studies that this person may see, each with its progress and its next step."""
    roles = access.shared(request.user)
    studies = sorted(access.visible(request.user), key=lambda study: (ORDER.index(study.state), -study.pk))
    counts = snapshots.counts([study.pk for study in studies])
    rows = [
        StudyRow(
            study,
            _(presets.get(study.draft["preset"]).label),
            access.label(roles[study.pk]) if study.pk in roles else "",
            Progress(*counts[study.pk]) if study.pk in counts else None,
            next_step(study, request.user),
        )
        for study in studies
    ]
    return render(request, "workspace/home.html", {"rows": rows})


@require_GET
@never_cache
@staff
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Show where a study stands and what comes next, to everybody who has a role in it."""
    try:
        study = definition_queries.study(slug)
    except NotFound as error:
        raise Http404(error.message) from error
    if not access.allowed(study, request.user):
        raise PermissionDenied
    counted = snapshots.counts([study.pk]).get(study.pk)
    context = {
        **frame(study, request),
        "steps": steps(study) if study.state == study.State.DRAFT else [],
        "preset": _(presets.get(study.draft["preset"]).label),
        "next_step": next_step(study, request.user),
        "progress": Progress(*counted) if counted else None,
    }
    return render(request, "workspace/overview.html", context)


@require_GET
@never_cache
@of_study
def recruit(request: HttpRequest, study: Study) -> HttpResponse:
    """Show how raters come to a study, and who came."""
    context = {"study": study, "link": links.panel(study), "balance": balance.panel(study)}
    return render(request, "workspace/recruit.html", context)

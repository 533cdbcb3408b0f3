"""The list of studies, and the pages of a study that belong to no other app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from analysis.data.access import for_capability, of_study, staff
from analysis.live.views import page_links
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from studies.definition.models import Study


@require_GET
@never_cache
@staff
def home(request: HttpRequest) -> HttpResponse:
    """List the studies that this person may see."""
    return render(request, "workspace/home.html", {"studies": page_links(request.user)})


@require_GET
@never_cache
@of_study
def overview(request: HttpRequest, study: Study) -> HttpResponse:
    """Show where a study stands and what comes next."""
    return render(request, "workspace/overview.html", {"study": study})


@require_GET
@never_cache
@for_capability(Capability.SEE_STUDY)
def recruit(request: HttpRequest, study: Study) -> HttpResponse:
    """Show how raters come to a study."""
    return render(request, "workspace/recruit.html", {"study": study})

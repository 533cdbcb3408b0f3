"""Hidden scores: the notice, opening them early with a reason, and the log of views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from analysis.data import hiding
from core import clock
from core.errors import Conflict, Invalid
from studies.definition import queries as definition_queries
from studies.members import access
from studies.members.pages import for_capability
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from studies.definition.models import Study

SHOWN = 100


@require_http_methods(["GET", "POST"])
@never_cache
@for_capability(Capability.SEE_STUDY)
def hidden_scores(request: HttpRequest, study: Study) -> HttpResponse:
    """Show whether scores are hidden and who has seen them; POST opens them for the user, with a reason."""
    problem, reason = "", request.POST.get("reason", "")
    if request.method == "POST":
        try:
            hiding.open_early(study=study, user=request.user, reason=reason, now=clock.now())
            return redirect("analysis:study", slug=study.slug)
        except Conflict:
            return redirect("analysis:hidden_scores", slug=study.slug)
        except access.NotAllowed as error:
            raise PermissionDenied from error
        except Invalid as error:
            problem = error.message
    context = {
        "study": study,
        "is_asked_for": definition_queries.definition(study).results.hide_scores,
        "is_hiding": hiding.is_hiding(study),
        "has_opened": hiding.has_opened(study, request.user),
        "openings": hiding.openings(study.pk),
        "sights": hiding.sights(study.pk, SHOWN),
        "problem": problem,
        "reason": reason,
    }
    return render(request, "analysis/data/hidden_scores.html", context, status=422 if problem else 200)

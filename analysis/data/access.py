"""When people who may open a study's pages may see its scores."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from analysis.data import hiding
from analysis.data.hiding import scores_are_hidden
from core import clock
from studies.members.pages import View

if TYPE_CHECKING:
    from studies.definition.models import Study


def shows_scores(view: View) -> View:
    """Show and log a page of scores, or say that they are hidden (403). Goes below `of_study`."""

    @wraps(view)
    def guarded(request: HttpRequest, study: Study, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if scores_are_hidden(study, request.user):
            return render(request, "analysis/data/hidden.html", {"study": study}, status=403)
        log_sight(request, study)
        return view(request, study, *args, **kwargs)

    # Outer decorators keep this mark: a test looks for pages without this check.
    guarded.__dict__["asks_for_scores"] = True
    return guarded


def log_sight(request: HttpRequest, study: Study) -> None:
    """Log that this page shows scores that are hidden from others."""
    name = request.resolver_match.view_name if request.resolver_match else request.path
    hiding.log_sight(study=study, user=request.user, what=name.removeprefix("analysis:"), now=clock.now())

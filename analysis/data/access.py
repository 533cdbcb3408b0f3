"""Access to a study's pages: staff with a role that allows it, and when they may see scores."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse

from analysis.data import hiding
from analysis.data.hiding import scores_are_hidden
from core import clock
from studies.members import pages
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from studies.definition.models import Study

View = Callable[..., HttpResponseBase]


def staff(view: View) -> View:
    """Send users who are not signed in as staff to the sign-in page, and back afterwards."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not (request.user.is_active and request.user.is_staff):
            return redirect_to_login(request.get_full_path(), reverse("admin:login"))
        return view(request, *args, **kwargs)

    return guarded


def of_study(view: View) -> View:
    """Pass the study with that slug to the view: GET needs the right to see it, POST to change it."""
    return for_capability(Capability.SEE_STUDY, sending=Capability.CHANGE_STUDY)(view)


def for_capability(looking: Capability, *, sending: Capability | None = None) -> Callable[[View], View]:
    """Pass the study with that slug to the view if the user has `looking`, or for a POST `sending`."""

    def decorate(view: View) -> View:
        @staff
        @wraps(view)
        def guarded(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
            needs = looking if request.method in {"GET", "HEAD"} or sending is None else sending
            return view(request, pages.study_for(request, slug, needs), *args, **kwargs)

        return guarded

    return decorate


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

"""Access to an expert's page: the experts of its study, and roles that allow it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from core.errors import DomainError, NotFound
from core.web.api import endpoint
from studies.decisions import experts
from studies.definition import queries as definition_queries
from studies.members import access as members_access
from studies.members import pages as members_pages
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from studies.definition.models import Study

View = Callable[..., HttpResponseBase]


class AccessRefused(DomainError):
    """The script asked for data that its user may not (or no longer) access."""

    status = 403
    code = "refused"


class NoStudy(AccessRefused):
    """The study doesn't exist, or the user has (or has no longer) any work in it."""

    status = 404


def signed_in(view: View) -> View:
    """Redirect users who are not signed in to the experts' sign-in page, and back afterwards."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path(), reverse("experts:sign_in"))
        return view(request, *args, **kwargs)

    return guarded


def study_page(view: View) -> View:
    """Call the view with the study of that slug; without access the answer is the same as for an unknown study."""

    @signed_in
    @wraps(view)
    def guarded(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
        study = study_for(request, slug)
        if study is None:
            members_pages.known_study(request, slug)
            raise PermissionDenied
        return view(request, study, *args, **kwargs)

    return guarded


def researcher_page(needs: Capability) -> Callable[[View], View]:
    """Call the view with the study of that slug if the role allows it; POST needs the right to change it."""

    def decorate(view: View) -> View:
        @signed_in
        @wraps(view)
        def guarded(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
            study = members_pages.study_for(request, slug, needs)
            if request.method == "POST":
                members_pages.study_for(request, slug, Capability.CHANGE_STUDY)
            return view(request, study, *args, **kwargs)

        return guarded

    return decorate


def study_endpoint(method: str) -> Callable[[Callable[..., dict[str, Any] | None]], Callable[..., HttpResponse]]:
    """Make an endpoint of `function(request, study, body (of a POST), **the path's other parts)`; see `core.web.api`.

    A form of another site can't say that it is JSON, and the session's cookie is not sent with it: no token is needed.
    """

    def decorate(function: Callable[..., dict[str, Any] | None]) -> Callable[..., HttpResponse]:
        @never_cache
        @endpoint(method)
        @wraps(function)
        def guarded(request: HttpRequest, *body: dict[str, Any], slug: str, **parts: Any) -> dict[str, Any] | None:
            if not request.user.is_authenticated:
                raise AccessRefused(
                    _("You are signed out. Sign in again; everything you saved is kept."), code="signed_out"
                )
            study = study_for(request, slug)
            if study is None:
                known = existing(slug)
                refusal = AccessRefused if known and members_access.allowed(known, request.user) else NoStudy
                raise refusal(_("You no longer have access to this study. Your saved decisions are kept."))
            return function(request, study, *body, **parts)

        return guarded

    return decorate


def study_for(request: HttpRequest, slug: str) -> Study | None:
    """Return the study when this person may work on it."""
    study = existing(slug)
    return study if study and experts.may_review(study, request.user) else None


def existing(slug: str) -> Study | None:
    """Return the study of that slug, or None."""
    try:
        return definition_queries.study(slug)
    except NotFound:
        return None

"""Access to previews: staff users who may see the study."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.cache import never_cache

from studies.members import pages
from studies.rules.roles import Capability

View = Callable[..., HttpResponseBase]


def staff(view: View) -> View:
    """Require a staff login."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, slug: str) -> HttpResponseBase:
        if not (request.user.is_active and request.user.is_staff):
            return redirect_to_login(request.get_full_path(), reverse("admin:login"))
        return view(request, slug)

    return guarded


def of_study(view: View) -> View:
    """Pass the study to the view if this user may see it."""

    @staff
    @wraps(view)
    def guarded(request: HttpRequest, slug: str) -> HttpResponseBase:
        study = pages.study_for(request, slug, Capability.SEE_STUDY)
        if study.pilot_of_id is not None:
            raise Http404
        return view(request, study)

    return guarded

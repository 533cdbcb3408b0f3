"""Access to previews: staff users who may see the study."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache

from studies.members import pages
from studies.members.pages import View
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from studies.definition.models import Study


def staff(view: View) -> View:
    """Require a staff login."""
    return never_cache(pages.staff(view))


def of_study(view: View) -> View:
    """Pass the study to the view if this user may see it."""

    @never_cache
    @pages.for_capability(Capability.SEE_STUDY)
    @wraps(view)
    def guarded(request: HttpRequest, study: Study) -> HttpResponseBase:
        if study.pilot_of_id is not None:
            raise Http404
        return view(request, study)

    return guarded

"""Who may preview a study: people who may see it, signed in as staff."""

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
    """Send those who are not signed in as staff to the sign-in page."""
    return never_cache(pages.staff(view))


def of_study(view: View) -> View:
    """Call the view with the study of that slug, when this person may see it."""

    @never_cache
    @pages.for_capability(Capability.SEE_STUDY)
    @wraps(view)
    def guarded(request: HttpRequest, study: Study) -> HttpResponseBase:
        if study.pilot_of_id is not None:
            raise Http404
        return view(request, study)

    return guarded

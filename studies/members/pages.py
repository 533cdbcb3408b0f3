"""The study of a page's address, for those whose role allows what the page is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from core.errors import NotFound
from studies.definition import queries as definition_queries
from studies.members import access

if TYPE_CHECKING:
    from studies.definition.models import Study
    from studies.rules.roles import Capability


def study_for(request: HttpRequest, slug: str, needs: Capability) -> Study:
    """Return the study; raise `Http404` as `known_study` does, `PermissionDenied` if this person may not do this."""
    study = known_study(request, slug)
    if not access.may(study, request.user, needs):
        raise PermissionDenied
    return study


def known_study(request: HttpRequest, slug: str) -> Study:
    """Return the study; raise `Http404` if there is none, or if this person has no role in it."""
    try:
        study = definition_queries.study(slug)
        if not access.allowed(study, request.user):
            raise definition_queries.no_study()
    except NotFound as error:
        raise Http404(error.message) from error
    return study

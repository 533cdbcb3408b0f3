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
    """Return the study; raise `Http404` if there is none, `PermissionDenied` if this person may not do this in it."""
    try:
        study = definition_queries.study(slug)
    except NotFound as error:
        raise Http404(error.message) from error
    if not access.may(study, request.user, needs):
        raise PermissionDenied
    return study

"""Stream a clip to an expert, by a name that is theirs alone and says nothing about the clip."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from core.errors import NotFound
from raters import streaming
from raters.views.experts.access import allowed
from studies.selectors import experts


@require_safe
def audio(request: HttpRequest, slug: str, key: str) -> HttpResponseBase:
    """Send a clip of a study that this person may work on, or a range of it."""
    study = allowed(request, slug) if request.user.is_authenticated else None
    if study is None:
        return streaming.missing()
    try:
        name, size = experts.rendition(study=study, user=request.user, key=key)
    except NotFound:
        return streaming.missing()
    return streaming.send(request, name, size)

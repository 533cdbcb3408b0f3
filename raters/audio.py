"""Stream a clip to its rater: opaque address, the same headers for every clip, and a count of the bytes sent."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from core import clock
from core.errors import NotFound
from raters import cookies, streaming
from raters.selectors.audio import rendition
from raters.services import playback


@require_safe
def audio(request: HttpRequest, slug: str, key: str) -> HttpResponseBase:
    """Send a clip, or a range of it, while its trial is the current one or the next."""
    session_id = cookies.read(request, slug=slug)
    try:
        if session_id is None:
            raise NotFound("There is no such clip.")
        found = rendition(session_id=session_id, key=key)
    except NotFound:
        return streaming.missing()

    def sent(start: int, stop: int) -> None:
        playback.sent(trial_clip=found.trial_clip, start=start, stop=stop, size=found.size, now=clock.now())

    return streaming.send(request, found.name, found.size, sent)

"""Stream a clip to its rater: opaque address, the same headers for every clip, and a count of the bytes sent.

The sounds of the first checks go the same way, but nobody counts them.
"""

from __future__ import annotations

from typing import IO

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from core import clock, logs, storage
from core.errors import NotFound
from raters import cookies, prefetch, screen_rendition, screening, streaming
from raters.screening.base import Stored
from raters.selectors import checks
from raters.selectors.audio import rendition
from raters.selectors.sessions import definition
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
    logs.bind(session=session_id, trial=found.trial)
    prefetch.batch(found.batch)

    def sent(start: int, stop: int) -> None:
        playback.sent(trial_clip=found.trial_clip, start=start, stop=stop, size=found.sent_size, now=clock.now())

    if found.is_alone:
        return streaming.send(request, found.name, found.size, sent)

    def opened() -> IO[bytes]:
        stored = storage.open_sound(found.name, found.size)
        return screen_rendition.opened(stored, size=found.size, sent_size=found.sent_size, key=key)

    return streaming.send_opened(request, found.sent_size, opened, sent)


@require_safe
def check_sound(request: HttpRequest, slug: str, key: str) -> HttpResponseBase:
    """Send the sound of the check that a session is at: made anew each time, from the numbers drawn for it."""
    session_id = cookies.read(request, slug=slug)
    try:
        if session_id is None:
            raise NotFound("There is no such sound.")
        result, step = checks.open_step(session_id=session_id, key=key)
    except NotFound:
        return streaming.missing()
    sound = screening.get(result.name).sound(definition(result.session.version_id), step)
    if sound is None:
        return streaming.missing()
    if isinstance(sound, Stored):
        return streaming.send(request, sound.name, sound.size)
    return streaming.send_made(request, sound)

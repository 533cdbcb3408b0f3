"""Stream a clip to its rater: opaque address, the same headers for every clip, and a count of the bytes sent."""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_safe

from core import clock, storage
from core.errors import NotFound
from raters import cookies
from raters.selectors.audio import Rendition, rendition
from raters.services import playback

CHUNK = 64 * 1024
RANGE = re.compile(r"bytes=(\d*)-(\d*)$")
HEADERS = {
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@require_safe
def audio(request: HttpRequest, slug: str, key: str) -> HttpResponseBase:
    """Send a clip, or a range of it, while its trial is the current one or the next."""
    session_id = cookies.read(request, slug=slug)
    try:
        if session_id is None:
            raise NotFound("There is no such clip.")
        found = rendition(session_id=session_id, key=key)
    except NotFound:
        return HttpResponse(status=404, headers=HEADERS)
    asked = request.headers.get("Range")
    span = byte_range(asked, found.size) if asked else (0, found.size)
    if span is None:
        return HttpResponse(status=416, headers={**HEADERS, "Content-Range": f"bytes */{found.size}"})
    start, stop = span
    headers = {**HEADERS, "Content-Length": str(stop - start)}
    if asked:
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{found.size}"
    status = 206 if asked else 200
    if request.method == "HEAD":
        return HttpResponse(status=status, headers=headers, content_type="audio/wav")
    return StreamingHttpResponse(stream(found, start, stop), status=status, headers=headers, content_type="audio/wav")


def byte_range(header: str, size: int) -> tuple[int, int] | None:
    """Return the half-open range that a Range header asks for; None when it can't be had."""
    match = RANGE.match(header)
    if match is None or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if not first:
        return (max(0, size - int(last)), size) if int(last) else None
    start, stop = int(first), min(int(last) + 1 if last else size, size)
    return (start, stop) if start < stop else None


def stream(found: Rendition, start: int, stop: int) -> Iterator[bytes]:
    """Yield the bytes and note how far they went, also when the rater hangs up halfway."""
    position = start
    try:
        with storage.open_file(found.name) as file:
            file.seek(start)
            while position < stop and (chunk := file.read(min(CHUNK, stop - position))):
                yield chunk
                position += len(chunk)
    finally:
        if position > start:
            playback.sent(trial_clip=found.trial_clip, start=start, stop=position, size=found.size, now=clock.now())

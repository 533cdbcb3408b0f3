"""Let nginx send a clip from the disk, and count the bytes that it reports (docs/adr/0030).

An authorised request counts for nothing: only what nginx reports at the end of a response counts as sent.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from django.conf import settings
from django.contrib.sessions.models import Session
from django.http import HttpRequest, HttpResponse

from core import clock
from core.files import storage
from raters.rating import sent_bytes, streaming
from raters.rating.listening import Rendition

# The internal location of deploy/nginx.conf.
LOCATION = "/sent-by-nginx/"
# What `nginx_check` asks for instead of a clip, and what marks that it was reported.
NO_CLIP, REPORTED = 0, "reported"
# nginx would answer requests with these headers in another way than the application.
CONDITIONS = (
    "HTTP_IF_MATCH",
    "HTTP_IF_NONE_MATCH",
    "HTTP_IF_MODIFIED_SINCE",
    "HTTP_IF_UNMODIFIED_SINCE",
    "HTTP_IF_RANGE",
)
# Clip and size as `send` wrote them, status, bytes of the body, Content-Range: the log format of deploy/nginx.conf.
REPORT = re.compile(rb"earshot: (\d+) (\d+) (?:200 (\d+) -|206 (\d+) bytes (\d+)-\d+/(\d+))\n?", re.ASCII)


def send(request: HttpRequest, clip: Rendition) -> HttpResponse | None:
    """Return the response that tells nginx to send a clip or a range of it; None if the application must send it."""
    if not settings.SENDFILE or request.method != "GET" or any(name in request.META for name in CONDITIONS):
        return None
    range_header = request.headers.get("Range")
    if range_header and streaming.byte_range(range_header, clip.size) is None:
        return None
    path = storage.sound_on_disk(clip.name, clip.size)
    if path is None:
        return None
    return lead(path, clip.trial_clip, clip.size, is_whole=not range_header)


def lead(path: str, clip: int, size: int, *, is_whole: bool = True) -> HttpResponse:
    """Return the response that leads nginx to a file."""
    headers = {
        **streaming.KEPT_HEADERS,
        "X-Accel-Redirect": LOCATION + quote(path),
        "X-Earshot-Clip": f"{clip} {size}",
    }
    if is_whole:
        # nginx adds this itself to whole files.
        del headers["Accept-Ranges"]
    return HttpResponse(headers=headers, content_type="audio/wav")


def row_of_check(size: int) -> str:
    """Return the key of the row that the report of a check's file marks; the check makes it, and deletes it."""
    return f"earshot-nginx-{size}"


def note(report: bytes) -> None:
    """Note the bytes of one report; a report about anything but sent bytes of a clip is ignored."""
    match = REPORT.search(report)
    if match is None:
        return
    clip, size, whole, part, start, total = (int(number or 0) for number in match.groups())
    length = whole or part
    if clip == NO_CLIP:
        Session.objects.filter(pk=row_of_check(size), session_data="").update(session_data=REPORTED)
    elif length and (not part or total == size):
        sent_bytes.note_sent_bytes(
            trial_clip=clip, start=start, stop=min(start + length, size), size=size, now=clock.now()
        )

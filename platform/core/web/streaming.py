"""Send a stored clip or a byte range, with the same headers for every clip."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import IO

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from core.files import storage

logger = logging.getLogger(__name__)
CHUNK = 64 * 1024
# At most 18 digits, more than any file size.
RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.ASCII)
HEADERS = {
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}
# A URL with a token always has the same content, so the rater's browser may cache it for about one batch. No ETag,
# because it would identify the clip.
KEPT_HEADERS = {**HEADERS, "Cache-Control": "private, max-age=3600, immutable"}

# Called with the half-open range of bytes sent.
Sent = Callable[[int, int], object]


def missing() -> HttpResponse:
    """Return the response for an unknown clip."""
    return HttpResponse(status=404, headers=HEADERS)


def unavailable() -> HttpResponse:
    """Return the response for a clip that is unavailable now; the page offers to try again."""
    return HttpResponse(status=503, headers={**HEADERS, "Retry-After": "2"})


def send(request: HttpRequest, name: str, size: int, sent: Sent = lambda start, stop: None) -> HttpResponseBase:
    """Send a stored file of `size` bytes, or the requested range."""
    return send_opened(request, size, lambda: storage.open_sound(name, size), sent)


def send_uncached(request: HttpRequest, name: str, size: int) -> HttpResponseBase:
    """Send a stored file without caching, to a user who may lose permission."""
    response = send(request, name, size)
    response.headers["Cache-Control"] = HEADERS["Cache-Control"]
    return response


def send_bytes(request: HttpRequest, content: bytes) -> HttpResponseBase:
    """Send a generated sound, with the same headers as a stored one."""
    return send_opened(request, len(content), lambda: BytesIO(content), lambda start, stop: None)


def send_opened(request: HttpRequest, size: int, opened: Callable[[], IO[bytes]], sent: Sent) -> HttpResponseBase:
    """Send `size` bytes of a file; `opened` opens it only if bytes are requested."""
    range_header = request.headers.get("Range")
    span = byte_range(range_header, size) if range_header else (0, size)
    if span is None:
        return HttpResponse(status=416, headers={**HEADERS, "Content-Range": f"bytes */{size}"})
    start, stop = span
    headers = {**KEPT_HEADERS, "Content-Length": str(stop - start)}
    if range_header:
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"
    status = 206 if range_header else 200
    if request.method == "HEAD":
        return HttpResponse(status=status, headers=headers, content_type="audio/wav")
    try:
        file = opened()
    except OSError as error:
        # The error names no file in the response, only in the log.
        logger.error("A clip can't be read from the store: %s: %s", type(error).__name__, error)
        return unavailable()
    chunks = stream(file, start, stop, sent)
    return StreamingHttpResponse(chunks, status=status, headers=headers, content_type="audio/wav")


def byte_range(header: str, size: int) -> tuple[int, int] | None:
    """Return the half-open range of a Range header; None if it is invalid or unsatisfiable."""
    match = RANGE.fullmatch(header)
    if match is None or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if not first:
        return (max(0, size - int(last)), size) if int(last) else None
    start, stop = int(first), min(int(last) + 1 if last else size, size)
    return (start, stop) if start < stop else None


def stream(file: IO[bytes], start: int, stop: int, sent: Sent) -> Iterator[bytes]:
    """Yield the bytes; report the range sent, even if the client disconnects."""
    position = start
    try:
        with file:
            file.seek(start)
            while position < stop and (chunk := file.read(min(CHUNK, stop - position))):
                yield chunk
                position += len(chunk)
    finally:
        if position > start:
            sent(start, position)

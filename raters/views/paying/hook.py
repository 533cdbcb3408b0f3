"""Where Prolific sends its messages."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from core import client_input, clock, limits
from core.nudge import nudge
from raters.models import PlatformStudy
from raters.services.platforms import events

LARGEST = 100_000


@csrf_exempt
@limits.limited("hook", "ARRIVAL_RATE")
@require_POST
def prolific(request: HttpRequest) -> HttpResponse:
    """Take a message that is signed by the secret, once, and read soon what it hints at."""
    if int(request.headers.get("Content-Length") or 0) > LARGEST:
        return HttpResponse(status=413)
    raw, now = request.body, clock.now()
    try:
        events.verify(
            secret=settings.PROLIFIC_HOOK_SECRET,
            raw=raw,
            timestamp=request.headers.get("X-Prolific-Request-Timestamp", ""),
            signature=request.headers.get("X-Prolific-Request-Signature", ""),
            now=now,
        )
    except events.Unproven:
        return HttpResponse(status=401)
    try:
        body = client_input.json_value(raw)
    except ValueError:
        body = None
    event = request.headers.get("X-Event-ID", "")
    for key in events.take(event=event, body=body if isinstance(body, dict) else {}, now=now):
        nudge(PlatformStudy.task_name, key)
    return HttpResponse(status=200)

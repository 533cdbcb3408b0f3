"""Webhook messages of platforms: verified, counted once, and used as a hint to read soon."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from core import clock
from core.errors import NotFound
from core.nudge import nudge
from core.web import limits
from raters import sources
from raters.payments import platform_studies
from raters.payments.models import PlatformEvent, PlatformStudy, Submission
from raters.people.models import Session
from raters.sources.payment_platform import BadSignature, Message

KEPT = timedelta(days=3)
LONGEST_ID = 100
LARGEST = 100_000


@csrf_exempt
@limits.limited("hook", "ARRIVAL_RATE")
@require_POST
def receive(request: HttpRequest, source: str) -> HttpResponse:
    """Accept a signed message from a platform, and queue the readings it suggests."""
    try:
        platform = sources.payment_platform(source)
    except NotFound as error:
        raise Http404(error.message) from error
    if int(request.headers.get("Content-Length") or 0) > LARGEST:
        return HttpResponse(status=413)
    now = clock.now()
    try:
        message = platform.message(request.headers, request.body, now)
    except BadSignature:
        return HttpResponse(status=401)
    for key in take(source=source, message=message, now=now):
        nudge(PlatformStudy.task_name, key)
    return HttpResponse(status=200)


def take(*, source: str, message: Message, now: datetime) -> list[int]:
    """Store a verified message and request readings of its studies; return their keys, none for a repeat."""
    if not 0 < len(message.id) <= LONGEST_ID:
        return []
    try:
        with transaction.atomic():
            PlatformEvent.objects.create(event=message.id, at=now)
    except IntegrityError:
        return []
    PlatformEvent.objects.filter(at__lt=now - KEPT).delete()
    return [pk for pk in _studies_named(source, message) if platform_studies.request_reading(platform_id=pk, now=now)]


def _studies_named(source: str, message: Message) -> list[int]:
    """Return the platform studies named in a message; its other contents are not trusted."""
    of_sessions = Session.objects.filter(source=source, ext_session__in=message.names).values("ext_study")
    of_submissions = Submission.objects.filter(ext_session__in=message.names).values("platform")
    studies = PlatformStudy.objects.filter(
        Q(ext_study__in=message.names) | Q(ext_study__in=of_sessions) | Q(pk__in=of_submissions), source=source
    )
    return list(studies.order_by("pk").values_list("pk", flat=True))

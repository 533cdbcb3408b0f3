"""Messages that the platform sends by itself: proven, counted once, and taken as a hint to read soon."""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from core import client_input, clock, limits
from core.errors import DomainError
from core.nudge import nudge
from raters.payments import platform_studies
from raters.payments.models import PlatformEvent, PlatformStudy, Submission
from raters.people.models import Session

# Prolific tries for a day to deliver a message; clocks differ a little.
OLDEST, AHEAD = timedelta(hours=25), timedelta(minutes=5)
KEPT = timedelta(days=3)
LONGEST_ID = 100

security = logging.getLogger("earshot.security")


class Unproven(DomainError):
    """The message is not signed by the secret, or too old."""

    status = 401
    code = "bad_signature"


def verify(*, secret: str, raw: bytes, timestamp: str, signature: str, now: datetime) -> None:
    """Check the signature over the very bytes that came; raises `Unproven`."""
    expected = base64.b64encode(hmac.new(secret.encode(), timestamp.encode() + raw, hashlib.sha256).digest())
    if not secret or not hmac.compare_digest(expected, signature.encode("utf-8", "replace")):
        security.warning("A message to /hooks/prolific was not signed by the secret")
        raise Unproven("The signature is wrong.")
    sent = _moment(timestamp)
    if sent is None or not now - OLDEST <= sent <= now + AHEAD:
        raise Unproven("The timestamp is out of range.")


def _moment(timestamp: str) -> datetime | None:
    """Read seconds or milliseconds since 1970, or an ISO date."""
    try:
        number = float(timestamp)
        return datetime.fromtimestamp(number / 1000 if number > 1e11 else number, UTC)
    except (OverflowError, OSError, ValueError):
        pass
    try:
        found = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def take(*, event: str, body: Mapping[str, Any], now: datetime) -> list[int]:
    """Note a proven message and ask for the readings that it hints at; return their keys. A second time: none."""
    if not 0 < len(event) <= LONGEST_ID:
        return []
    try:
        with transaction.atomic():
            PlatformEvent.objects.create(event=event, at=now)
    except IntegrityError:
        return []
    PlatformEvent.objects.filter(at__lt=now - KEPT).delete()
    return [pk for pk in _meant(body) if platform_studies.ask(platform_id=pk, now=now)]


def _meant(body: Mapping[str, Any]) -> list[int]:
    """Return the platform studies that a message is about; nothing else in it is believed."""
    named = {str(body.get(name) or "") for name in ("study_id", "study", "resource_id", "submission_id")} - {""}
    of_sessions = Session.objects.filter(source="prolific", ext_session__in=named).values("ext_study")
    of_submissions = Submission.objects.filter(ext_session__in=named).values("platform")
    found = PlatformStudy.objects.filter(
        Q(ext_study__in=named) | Q(ext_study__in=of_sessions) | Q(pk__in=of_submissions), source="prolific"
    )
    return list(found.order_by("pk").values_list("pk", flat=True))


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
        verify(
            secret=settings.PROLIFIC_HOOK_SECRET,
            raw=raw,
            timestamp=request.headers.get("X-Prolific-Request-Timestamp", ""),
            signature=request.headers.get("X-Prolific-Request-Signature", ""),
            now=now,
        )
    except Unproven:
        return HttpResponse(status=401)
    try:
        body = client_input.json_value(raw)
    except ValueError:
        body = None
    event = request.headers.get("X-Event-ID", "")
    for key in take(event=event, body=body if isinstance(body, dict) else {}, now=now):
        nudge(PlatformStudy.task_name, key)
    return HttpResponse(status=200)

"""Whether nginx in front sends a file that it is led to, and reports it: a check of the doctor, through nginx itself.

The request bears a token that our key signs for a few minutes and for one random file, so that nobody else can ask.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from datetime import timedelta

import httpx
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core import signing
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from core import clock
from core.files import storage
from launcher.findings import OK, PROBLEM, Finding
from raters.rating import nginx

NAME, SALT, LEASE = "nginx", "nginx check", timedelta(minutes=5)
# For the answer, and for the report, which may come a moment after the last byte.
ANSWER, REPORT = 4.0, 3.0
ADDRESS = "EARSHOT_BASE_URL"


@require_GET
def proxy_check(request: HttpRequest, token: str) -> HttpResponse:
    """Lead nginx to the file that a token names."""
    try:
        name, size = signing.loads(token, salt=SALT, max_age=LEASE)
    except signing.BadSignature:
        raise Http404 from None
    storage.fetch_sound(name, size)
    path = storage.sound_on_disk(name, size)
    if not settings.SENDFILE or path is None:
        return HttpResponse("EARSHOT_SENDFILE is off here" if path else "no such file here", status=409)
    return nginx.lead(path, nginx.NO_CLIP, size)


def examine() -> Iterator[Finding]:
    """Yield whether nginx sends clips and reports what it sent, if it is to."""
    if not settings.SENDFILE:
        return
    # The size names the row that the report marks.
    content = secrets.token_bytes(10_000 + secrets.randbelow(40_000))
    name = storage.put("health", content)
    row = nginx.row_of_check(len(content))
    try:
        Session.objects.update_or_create(pk=row, defaults={"session_data": "", "expire_date": clock.now() + LEASE})
        yield ask(name, content) or wait(row)
    finally:
        storage.discard(name)
        Session.objects.filter(pk=row).delete()
        connection.close()


def ask(name: str, content: bytes) -> Finding | None:
    """Return what is wrong with the file that comes by the public address; None if it is the right one."""
    token = signing.dumps([name, len(content)], salt=SALT)
    try:
        response = httpx.get(settings.BASE_URL + reverse("raters:proxy_check", args=[token]), timeout=ANSWER)
    except httpx.HTTPError as error:
        text = f"{settings.BASE_URL} gives no answer: {type(error).__name__}."
        return problem(text, f"Start nginx, and see that {ADDRESS} is the address at which it listens.")
    if response.status_code == 200 and response.content == content:
        return None
    return problem(*explain(response))


def explain(response: httpx.Response) -> tuple[str, str]:
    """Return what a wrong response means, and which line of nginx's file to correct."""
    status, folder = response.status_code, settings.AUDIO_CACHE if storage.is_elsewhere() else settings.DATA / "files"
    is_ours = "Content-Security-Policy" in response.headers
    if "X-Accel-Redirect" in response.headers:
        text = "The proxy in front sends no clips: it passes on what only nginx understands."
        return text, "Let nginx alone lead to Earshot's port (deploy/nginx.conf), or unset EARSHOT_SENDFILE."
    if status == 409:
        return f"The web server can't lead nginx to a file: {response.text}.", "Restart the web server."
    if status == 404 and is_ours:
        text = f"nginx doesn't know {nginx.LOCATION}, so that raters get no clips."
        return text, f"Add `location {nginx.LOCATION} {{ internal; alias {folder}/; … }}` of deploy/nginx.conf."
    if status == 404:
        text = "nginx looks for clips in another folder."
        return text, f"In `location {nginx.LOCATION}`, write `alias {folder}/;`."
    if status == 403:
        text = "nginx's workers may not read clips."
        return text, "In /etc/nginx/nginx.conf, write the account that runs Earshot: `user earshot;`."
    return f"nginx answers {status} for a clip.", "Compare its site with deploy/nginx.conf, and look at its error log."


def wait(row: str) -> Finding:
    """Return whether the report comes."""
    end = time.monotonic() + REPORT
    while time.monotonic() < end:
        if Session.objects.filter(pk=row, session_data=nginx.REPORTED).exists():
            return Finding(NAME, OK, "it sends clips and reports what it sent")
        time.sleep(0.05)
    text = "nginx sends clips, and its reports don't arrive: every answer is refused."
    log = f"access_log syslog:server=unix:{settings.SENT_SOCKET},tag=earshot,nohostname earshot;"
    return problem(text, f"In `location {nginx.LOCATION}`, write `{log}`, and `log_format` as in deploy/nginx.conf.")


def problem(text: str, remedy: str) -> Finding:
    return Finding(NAME, PROBLEM, text, remedy)

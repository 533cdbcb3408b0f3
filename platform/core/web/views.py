"""The home page, the health checks and the error pages."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from core import clock
from core.findings import PROBLEM
from core.operations import doctor, health
from core.paths import PROGRAM
from core.text import languages
from core.web import refusals

# Headers that proxies add: the client of a proxy is elsewhere, whatever the connection says.
FORWARDED = ("X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "Via")


def is_inside(request: HttpRequest) -> bool:
    """Return whether a request comes directly from an address of `EARSHOT_MONITORING_NETWORKS`."""
    if any(name in request.headers for name in FORWARDED):
        return False
    try:
        address = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    return any(address in ip_network(network) for network in settings.MONITORING_NETWORKS)


def home(request: HttpRequest) -> HttpResponse:
    """Show what this site is; studies are never listed publicly."""
    return render(request, "core/home.html")


def styleguide(request: HttpRequest) -> HttpResponse:
    """Show the components that pages are made of, where `EARSHOT_DEBUG` is on."""
    if not settings.DEBUG:
        raise Http404
    return render(request, "core/styleguide.html")


def livez(request: HttpRequest) -> HttpResponse:
    """Answer 200 as long as this process runs."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 while the database works, for load balancers: no page works without it."""
    is_ready = health.parts()["database"]
    return JsonResponse({"status": "ok" if is_ready else "failing"}, status=200 if is_ready else 503)


def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200 when database, store and broker work, else 503 with the parts that fail.

    For clients on a monitoring network or with the token of the metrics, and for administrators.
    """
    user = request.user
    if not (is_inside(request) or _has_token(request) or (user.is_active and user.is_superuser)):
        raise Http404
    works = health.parts()
    is_well = all(works.values())
    states = {name: "ok" if each else "failing" for name, each in works.items()}
    return JsonResponse({"status": "ok" if is_well else "failing", "parts": states}, status=200 if is_well else 503)


def _has_token(request: HttpRequest) -> bool:
    token = settings.METRICS_TOKEN
    return bool(token) and constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {token}")


def metrics(request: HttpRequest) -> HttpResponse:
    """Answer Prometheus when it sends the token; without a token in the settings, return 404."""
    if not settings.METRICS_TOKEN:
        raise Http404
    if not _has_token(request):
        return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
    from core.operations.metrics import exposition

    return HttpResponse(exposition(), content_type="text/plain; version=0.0.4; charset=utf-8")


def status(request: HttpRequest) -> HttpResponse:
    """Show administrators the findings of `earshot doctor`, part by part."""
    if not (request.user.is_active and request.user.is_superuser):
        raise PermissionDenied
    findings = doctor.examine()
    context = {
        **admin.site.each_context(request),
        "title": _("System status"),
        "findings": findings,
        "problems": len([finding for finding in findings if finding.state == PROBLEM]),
        "at": clock.now(),
        "program": PROGRAM,
    }
    return render(request, "core/status.html", context)


def problem(request: HttpRequest, *, status: int, title: str, message: str) -> HttpResponse:
    """Show a plain page that says what went wrong and what to do."""
    return render(request, "core/problem.html", {"title": title, "message": message}, status=status)


@languages.by_browser
def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig):
        title, message = _("The request is too large"), _("Go back and send less at once.")
        answer = refusals.in_json(request, status=413, code="too_large", message=title)
        return answer or problem(request, status=413, title=title, message=message)
    return problem(request, status=400, title=_("The request is invalid"), message=_("Go back and try again."))


@languages.by_browser
def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return problem(
        request, status=403, title=_("You can’t see this page"), message=_("Ask the study’s owner for access.")
    )


@languages.by_browser
def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return problem(
        request, status=404, title=_("Page not found"), message=_("Check the link, or ask the person who sent it.")
    )


@languages.by_browser
def server_error(request: HttpRequest) -> HttpResponse:
    title = _("Something went wrong on our side")
    message = _("Everything you saved is kept. Wait a moment, then reload the page.")
    answer = refusals.in_json(request, status=500, code="server_error", message=title)
    return answer or problem(request, status=500, title=title, message=message)

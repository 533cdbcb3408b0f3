"""Middleware of every request: headers, a number for the logs, and its duration."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve
from django.utils.cache import patch_vary_headers

from core.operations import logs
from core.text import languages
from core.web import busy

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
# Browser features that no page here uses are denied.
PERMISSIONS = ", ".join(
    ["autoplay=(self)"]
    + [
        f"{name}=()"
        for name in ("camera", "display-capture", "geolocation", "microphone", "midi", "payment", "serial", "usb")
    ]
)
# Prefixes of addresses whose pages get their language from the study.
OF_RATERS = ("/rate/", "/s/", "/static/", "/livez", "/readyz", "/metrics")
# Addresses of the raters' endpoints and clips; their views know a rater by a signed cookie, and need no more.
DIRECT = re.compile(r"/rate/[^/]+/(?:api|audio)/")
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
Respond = Callable[[HttpRequest], HttpResponse]


def framed(response: HttpResponse, hosts: tuple[str, ...]) -> HttpResponse:
    """Allow only these origins to show a page in a frame and receive its forms."""
    allowed = " ".join(hosts)
    policy = POLICY.replace("form-action 'self'", f"form-action 'self' {allowed}")
    response.headers["Content-Security-Policy"] = policy.replace("frame-ancestors 'none'", f"frame-ancestors {allowed}")
    # The older header has no list of origins; browsers with the newer one ignore it.
    response.xframe_options_exempt = True
    return response


def connecting(response: HttpResponse, origin: str) -> HttpResponse:
    """Allow a page's scripts to send requests to one more origin."""
    response.headers["Content-Security-Policy"] = POLICY.replace("connect-src 'self'", f"connect-src 'self' {origin}")
    return response


class ContentSecurityPolicy:
    """Allow only this server's own files: no inline script, no third party, and no device but the loudspeaker."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        response.headers["Permissions-Policy"] = PERMISSIONS
        return response


class Languages:
    """Show staff pages in the first of the browser's languages with a catalogue; raters' pages choose their own.

    Requests of raters pass unchanged: they are the most frequent.
    """

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info.startswith(OF_RATERS):
            return self.get_response(request)
        language = languages.of_browser(request)
        with languages.speaking(language):
            response = self.get_response(request)
        if response.get("Content-Type", "").startswith("text/html"):
            patch_vary_headers(response, ["Accept-Language"])
            response.headers.setdefault("Content-Language", language)
        return response


class Direct:
    """Call the views of a rater's page at once: no session, user, form, message or file of ours concerns them.

    These requests are by far the most frequent, and the middleware would cost as much as some of the views.
    """

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not DIRECT.match(request.path_info):
            return self.get_response(request)
        try:
            match = request.resolver_match = resolve(request.path_info)
        except Resolver404:
            return self.get_response(request)
        return busy.answered(request, lambda: match.func(request, *match.args, **match.kwargs))


class Numbered:
    """Give each request a random number, which every log line about it carries."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        logs.begin(request=secrets.token_hex(6))
        return self.get_response(request)


class RequestMetrics:
    """Count requests and their duration by page; installed only if a token for the metrics is set."""

    def __init__(self, get_response: Respond) -> None:
        from core.operations import metrics

        self.get_response = get_response
        self.metrics = metrics

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = self.get_response(request)
        match = request.resolver_match
        page = (match.view_name if match else "") or "none"
        method = request.method if request.method in METHODS else "other"
        self.metrics.requests.labels(page, method, str(response.status_code)).inc()
        self.metrics.latency.labels(page).observe(time.perf_counter() - began)
        return response

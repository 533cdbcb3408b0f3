"""What every request shares: headers, a number for the logs, and the time that it took."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from core.operations import logs
from core.text import languages

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
# What pages here never ask for is refused to whatever might get into them.
PERMISSIONS = ", ".join(
    ["autoplay=(self)"]
    + [
        f"{name}=()"
        for name in ("camera", "display-capture", "geolocation", "microphone", "midi", "payment", "serial", "usb")
    ]
)
# The beginnings of addresses whose pages know their language from the study.
OF_RATERS = ("/rate/", "/s/", "/static/", "/livez", "/readyz", "/metrics")
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
Respond = Callable[[HttpRequest], HttpResponse]


def framed(response: HttpResponse, hosts: tuple[str, ...]) -> HttpResponse:
    """Let these origins, and no others, show a page in a frame and take its forms."""
    allowed = " ".join(hosts)
    policy = POLICY.replace("form-action 'self'", f"form-action 'self' {allowed}")
    response.headers["Content-Security-Policy"] = policy.replace("frame-ancestors 'none'", f"frame-ancestors {allowed}")
    # The older header knows no list of origins; browsers that know the newer one ignore it.
    response.xframe_options_exempt = True
    return response


def connecting(response: HttpResponse, origin: str) -> HttpResponse:
    """Let a page's scripts send to one more origin."""
    response.headers["Content-Security-Policy"] = POLICY.replace("connect-src 'self'", f"connect-src 'self' {origin}")
    return response


class ContentSecurityPolicy:
    """Allow this server's own files alone: no inline script, no third party, and no device but the loudspeaker."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        response.headers["Permissions-Policy"] = PERMISSIONS
        return response


class Languages:
    """Answer staff in the first of their browser's languages that has a catalogue; raters' pages choose for themselves.

    Raters' addresses are let through untouched: they are the ones that many people ask at once.
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


class Numbered:
    """Give each request a random number, which all that is logged about it carries."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        logs.begin(request=secrets.token_hex(6))
        return self.get_response(request)


class RequestMetrics:
    """Count requests and their seconds by page; in use only where a token for the metrics is set."""

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

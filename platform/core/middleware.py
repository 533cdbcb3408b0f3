"""What every request shares: headers, a number for the logs, and the time that it took."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from core import logs

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
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


class ContentSecurityPolicy:
    """Allow this server's own files alone: no inline script, no third party."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class Numbered:
    """Give each request a random number, which all that is logged about it carries."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        logs.begin(request=secrets.token_hex(6))
        return self.get_response(request)


class Measured:
    """Count requests and their seconds by page; in use only where a token for the metrics is set."""

    def __init__(self, get_response: Respond) -> None:
        from core import metrics

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

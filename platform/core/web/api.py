"""One JSON format for every error: {"error": code, "message": …, …detail}."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from rest_framework.response import Response
from rest_framework.views import exception_handler

from core.errors import DomainError
from core.web import client_input

# Takes a request, the JSON it carries and the path's parts; returns what is sent back as JSON, or None for nothing.
Endpoint = Callable[..., dict[str, Any] | None]


class UnreadableRequest(DomainError):
    """The body is no JSON object."""

    code = "unreadable"


class NotJson(DomainError):
    """The body has another content type; a form on another site, for example, can't send JSON."""

    status = 415
    code = "not_json"


class TooLarge(DomainError):
    """The body is larger than Django's limit for requests without files."""

    status = 413
    code = "too_large"

    def __init__(self) -> None:
        super().__init__(_("The request is too large."))


def errors(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn a domain error into its status and body; leave the rest to Django REST framework."""
    if not isinstance(error, DomainError):
        return exception_handler(error, context)
    return Response(_body(error), status=error.status, headers=_headers(error))


def endpoint(method: str) -> Callable[[Endpoint], Callable[..., HttpResponse]]:
    """Make a view of a function on the raters' hot path: the API's format at half of the framework's cost.

    There is no session and no user in it, and no CSRF token: the function must identify the rater itself.
    """

    def decorate(function: Endpoint) -> Callable[..., HttpResponse]:
        @csrf_exempt
        @wraps(function)
        def view(request: HttpRequest, **parts: str) -> HttpResponse:
            if request.method != method:
                return HttpResponseNotAllowed([method])
            try:
                result = function(request, _sent(request), **parts) if method == "POST" else function(request, **parts)
            except DomainError as error:
                return JsonResponse(_body(error), status=error.status, headers=_headers(error))
            return JsonResponse({} if result is None else result)

        return view

    return decorate


def _sent(request: HttpRequest) -> dict[str, Any]:
    if request.content_type != "application/json":
        raise NotJson("Send JSON, and say so in the Content-Type header.")
    try:
        return client_input.json_object(request.body.decode())
    except RequestDataTooBig:
        raise TooLarge from None
    except ValueError:
        raise UnreadableRequest("That is no JSON object in UTF-8.") from None


def _body(error: DomainError) -> dict[str, Any]:
    return {"error": error.code, "message": error.message, **error.detail}


def _headers(error: DomainError) -> dict[str, str]:
    wait = getattr(error, "retry_after", None)
    return {} if wait is None else {"Retry-After": str(max(1, round(wait + 0.5)))}

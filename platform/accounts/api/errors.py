"""The format of every error: {code, message, errors: [{field | row, column, message}]}."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import exceptions
from rest_framework.response import Response

from accounts.api.parsers import TooLarge
from core.errors import DomainError

# Codes of the framework that differ from ours.
CODES = {"invalid": "invalid", "parse_error": "unreadable", "error": "error", "required": "invalid"}
# Keys of a domain error's detail that are reported elsewhere.
TOLD = {"problems"}


def handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn an exception into an error response; unexpected ones are left to `core.web.views.server_error`."""
    if isinstance(error, DomainError):
        return _of_domain(error)
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    elif isinstance(error, RequestDataTooBig):
        error = TooLarge(_("The request is too large."))
    elif isinstance(error, SuspiciousOperation):
        error = exceptions.ParseError(_("The request is not well formed."))
    if not isinstance(error, exceptions.APIException):
        return None
    if isinstance(error, exceptions.ValidationError):
        errors = list(_fields(error.detail))
        return body(422, "invalid", _("The request can’t be taken like this."), errors)
    code = str(error.get_codes())
    headers = {}
    if header := getattr(error, "auth_header", ""):
        headers["WWW-Authenticate"] = str(header)
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(max(1, round(wait + 0.5)))
    return body(error.status_code, CODES.get(code, code), str(error.detail), headers=headers)


def body(
    status: int,
    code: str,
    message: str,
    errors: Sequence[Mapping[str, Any]] = (),
    *,
    headers: Mapping[str, str] | None = None,
    **detail: Any,
) -> Response:
    """Return an error; `detail` is added to the three fields that every error has."""
    return Response(
        {"code": code, "message": message, "errors": list(errors), **detail}, status=status, headers=dict(headers or {})
    )


def _of_domain(error: DomainError) -> Response:
    problems = error.detail.get("problems", {})
    errors = [{"field": field, "message": str(message)} for field, message in problems.items()]
    detail = {name: value for name, value in error.detail.items() if name not in TOLD}
    return body(error.status, error.code, error.message, errors, **detail)


def _fields(detail: Any, field: str = "") -> Iterator[dict[str, str]]:
    """Yield one entry a message, with the dotted name of its field."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            yield from _fields(inner, field if name == "non_field_errors" else f"{field}.{name}".lstrip("."))
    elif isinstance(detail, list | tuple):
        for inner in detail:
            yield from _fields(inner, field)
    else:
        yield {"field": field, "message": str(detail)}

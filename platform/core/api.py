"""One JSON shape for every refusal: {"error": code, "message": …, …detail}."""

from __future__ import annotations

from typing import Any

from rest_framework.response import Response
from rest_framework.views import exception_handler

from core.errors import DomainError, TooEarly


def errors(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn a domain error into its status and body; leave the rest to Django REST framework."""
    if not isinstance(error, DomainError):
        return exception_handler(error, context)
    response = Response({"error": error.code, "message": error.message, **error.detail}, status=error.status)
    if isinstance(error, TooEarly):
        response["Retry-After"] = str(max(1, round(error.retry_after + 0.5)))
    return response

"""Errors of the whole server, in the format that the client reads."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, JsonResponse


def in_json(request: HttpRequest, *, status: int, code: str, message: str) -> JsonResponse | None:
    """Return an error in the format of the API or of the pages' endpoints; None if the client expects a page."""
    if request.path_info.startswith("/api/"):
        body: dict[str, Any] = {"code": code, "message": message, "errors": []}
    elif "application/json" in (request.headers.get("Accept", ""), request.content_type):
        body = {"error": code, "message": message}
    else:
        return None
    return JsonResponse(body, status=status, headers={"Cache-Control": "no-store"})

"""How often a token may ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from rest_framework.throttling import SimpleRateThrottle

if TYPE_CHECKING:
    from rest_framework.request import Request


class PerToken(SimpleRateThrottle):
    """Requests a minute of one token, or of one person at their browser; each web process counts for itself."""

    scope = "token"

    def get_rate(self) -> str:
        return f"{settings.API_RATE}/min"

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        if request.auth is not None:
            return f"api-token-{request.auth.pk}"
        return f"api-user-{request.user.pk}" if request.user is not None else None

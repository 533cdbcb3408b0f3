"""How often a token may ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from rest_framework.throttling import BaseThrottle

from core.web import limits

if TYPE_CHECKING:
    from rest_framework.request import Request


class PerToken(BaseThrottle):
    """Requests a minute of one token, or of one person at their browser; all web processes count together."""

    retry_after: float | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count a request; whoever is neither is not counted."""
        asker: Any = request.auth or request.user
        if asker is None:
            return True
        who = f"{'token' if request.auth else 'user'} {asker.pk}"
        try:
            limits.spend("api", who, settings.API_RATE)
        except limits.TooMany as error:
            self.retry_after = error.retry_after
            return False
        return True

    def wait(self) -> float | None:
        """Return the seconds until it may ask again."""
        return self.retry_after

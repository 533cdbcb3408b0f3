"""Who asks: a program with a token, or somebody signed in at their browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed

from accounts.tokens import services as tokens_services
from core import clock
from core.web import busy, limits

if TYPE_CHECKING:
    from rest_framework.request import Request

    from accounts.tokens.models import ApiToken
    from accounts.users.models import User


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer esh_…`"""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        kind, _space, secret = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() != "bearer":
            return None
        now = clock.now()
        token = tokens_services.by_secret(secret.strip())
        # One message for all of them: a stranger who tries learns nothing.
        if token is None or not token.is_good(now) or not token.owner.is_active:
            limits.spend("token", limits.address(request), settings.SIGN_IN_RATE * limits.PEOPLE_AT_ONE_ADDRESS)
            raise AuthenticationFailed(_("This token is unknown, expired or revoked."), code="bad_token")
        busy.if_free(lambda: tokens_services.note_use(token=token, now=now))
        return token.owner, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="earshot"'


class BrowserAuthentication(SessionAuthentication):
    """The session of the admin, so that the page of the API's description can try it; writes need a CSRF token."""

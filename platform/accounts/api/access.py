"""Authentication by token or browser session, permissions, and the rate limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.throttling import BaseThrottle

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
        # The same message for every reason, so that a stranger learns nothing.
        if token is None or not token.is_good(now) or not token.owner.is_active:
            limits.spend("token", limits.address(request), settings.SIGN_IN_RATE * limits.PEOPLE_AT_ONE_ADDRESS)
            raise AuthenticationFailed(_("This token is unknown, expired or revoked."), code="bad_token")
        busy.if_free(lambda: tokens_services.note_use(token=token, now=now))
        return token.owner, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="earshot"'


class BrowserAuthentication(SessionAuthentication):
    """The admin's session, so that the page of the API's description can try endpoints; writes need a CSRF token."""


class Scoped(BasePermission):
    """Allow staff with the right that the view asks for, if their token has the view's scope for this method."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if request.user is None or not request.user.is_authenticated:
            return False
        if not request.user.is_staff:
            raise PermissionDenied(_("This account has no access to studies."), code="not_staff")
        method = "GET" if request.method in {"HEAD", "OPTIONS"} else str(request.method)
        scope = view.scopes.get(method, "")
        if scope and not has_scope(request, scope):
            raise PermissionDenied(_("The token lacks the scope {scope}.").format(scope=scope), code="missing_scope")
        right = view.rights.get(method, "")
        if right and not request.user.has_perm(right):
            raise PermissionDenied(_("Your role does not allow this."), code="not_allowed")
        return True


def has_scope(request: Request, scope: str) -> bool:
    """True if the token has this scope; signed-in people have all."""
    token: Any = request.auth
    return token is None or scope in token.scopes


class PerToken(BaseThrottle):
    """Requests a minute of one token, or of one person signed in; all web processes count together."""

    retry_after: float | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count a request of a token or a signed-in person."""
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
        """Return the seconds until the next request is allowed."""
        return self.retry_after

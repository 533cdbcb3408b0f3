"""What who asks may do: the rights of the person, within the scopes of their token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import BasePermission

if TYPE_CHECKING:
    from rest_framework.request import Request


class Scoped(BasePermission):
    """Staff whose token has the view's scope for this method, and whose role has the right that the page asks for."""

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
    """Say whether the token has this scope; whoever is signed in themselves has all."""
    token: Any = request.auth
    return token is None or scope in token.scopes

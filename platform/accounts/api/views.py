"""The owner of a token, and unknown addresses."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.api.shapes import Base
from accounts.tokens.models import SCOPES
from core.errors import NotFound


class Me(Base):
    """Who a token acts for, and what it may do."""

    username = serializers.CharField()
    is_superuser = serializers.BooleanField(help_text="Sees everybody's studies.")
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=list(SCOPES)))
    expires_at = serializers.DateTimeField(allow_null=True)


class MeView(ApiView):
    """The one who asks."""

    @extend_schema(responses=Me)
    def get(self, request: Request) -> Response:
        """Say whose token this is and what it may do."""
        token: Any = request.auth
        return Response(
            Me(
                {
                    "username": request.user.get_username(),
                    "is_superuser": request.user.is_superuser,
                    "scopes": list(SCOPES) if token is None else token.scopes,
                    "expires_at": None if token is None else token.expires_at,
                }
            ).data
        )


@extend_schema(exclude=True)
class NowhereView(ApiView):
    """Every address that is none."""

    def get(self, request: Request) -> Response:
        """Refuse it."""
        raise NotFound(_("There is no such address."))

    post = put = patch = delete = get

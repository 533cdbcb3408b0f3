"""Who one is, and uploads in parts."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView, sent
from accounts.api.parsers import Bytes, TooLarge
from accounts.api.shapes import Base, Strict
from accounts.models import Upload
from accounts.scopes import SCOPES
from accounts.selectors import uploads as select
from accounts.services import uploads
from core import clock
from core.errors import NotFound


class Me(Base):
    """Who a token acts for, and what it may do."""

    username = serializers.CharField()
    is_superuser = serializers.BooleanField(help_text="Sees everybody's studies.")
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=list(SCOPES)))
    expires_at = serializers.DateTimeField(allow_null=True)


class Announced(Strict):
    """A file that will be sent in parts."""

    name = serializers.CharField(max_length=255, help_text="The file's name, for showing.")
    bytes = serializers.IntegerField(min_value=1, max_value=2**53)
    sha256 = serializers.RegexField(r"^[0-9a-fA-F]{64}$", help_text="Of the whole file, in hexadecimal.")


class UploadShown(Base):
    """How far an upload is."""

    id = serializers.CharField()
    name = serializers.CharField()
    bytes = serializers.IntegerField()
    part_bytes = serializers.IntegerField(help_text="Size of every part but the last.")
    parts = serializers.IntegerField(help_text="How many parts there are, counted from 1.")
    missing = serializers.ListField(child=serializers.IntegerField(), help_text="Parts that have not come.")
    url = serializers.CharField()


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


class UploadsView(ApiView):
    """Large files in parts."""

    scopes = {"POST": "studies:write"}
    rights = {"POST": "studies.change_study"}

    @extend_schema(request=Announced, responses={201: UploadShown})
    def post(self, request: Request) -> Response:
        """Announce a file that will be sent in parts.

        Send each part with PUT to `url` + `/parts/` + its number, in any order, then name the upload where an import
        asks for its archive. What is not used within a day is deleted.
        """
        asked = sent(Announced, request.data)
        user: Any = request.user
        row = uploads.begin(
            owner=user, name=asked["name"], size=asked["bytes"], sha256=asked["sha256"], now=clock.now()
        )
        return Response(_shown(row), status=201, headers={"Location": _url(row)})


class UploadView(ApiView):
    """One upload."""

    scopes = dict.fromkeys(("GET", "DELETE"), "studies:write")

    @extend_schema(responses=UploadShown)
    def get(self, request: Request, key: str) -> Response:
        """Say which parts are missing."""
        return Response(_shown(_own(request, key)))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, key: str) -> Response:
        """Give an upload up."""
        uploads.discard(upload=_own(request, key))
        return Response(status=204)


class PartView(ApiView):
    """One part of an upload."""

    scopes = {"PUT": "studies:write"}
    parser_classes = (Bytes,)

    @extend_schema(
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses=UploadShown,
        parameters=[
            OpenApiParameter(
                "X-Content-SHA256", str, OpenApiParameter.HEADER, description="Of this part; checked when it is sent."
            )
        ],
    )
    def put(self, request: Request, key: str, number: int) -> Response:
        """Send one part; sent again, it takes the place of the one before."""
        row = _own(request, key)
        stream: Any = request.data
        content = stream.read(row.part_bytes + 1) if hasattr(stream, "read") else b""
        if len(content) > row.part_bytes:
            raise TooLarge(f"A part has at most {row.part_bytes} bytes.")
        digest = request.headers.get("X-Content-SHA256", "")
        uploads.put_part(upload=row, number=number, content=content, sha256=digest)
        return Response(_shown(row))


def _own(request: Request, key: str) -> Upload:
    user: Any = request.user
    return select.upload(user.pk, key)


def _url(row: Upload) -> str:
    return reverse("api:upload", args=[row.key])


def _shown(row: Upload) -> Any:
    return UploadShown(
        {
            "id": row.key,
            "name": row.name,
            "bytes": row.bytes,
            "part_bytes": row.part_bytes,
            "parts": row.part_count,
            "missing": select.missing(row),
            "url": _url(row),
        }
    ).data


@extend_schema(exclude=True)
class NowhereView(ApiView):
    """Every address that is none."""

    def get(self, request: Request) -> Response:
        """Refuse it."""
        raise NotFound(_("There is no such address."))

    post = put = patch = delete = get

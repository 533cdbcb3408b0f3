"""Endpoints that take sets of files in parts."""

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
from accounts.uploads import queries, services
from accounts.uploads.models import Upload
from core import clock


class FileAnnounced(Strict):
    """One file of a set."""

    path = serializers.CharField(max_length=services.LONGEST, help_text="As in the manifest: with slashes.")
    bytes = serializers.IntegerField(min_value=0, max_value=2**53)


class Announced(Strict):
    """A file, or a set of files, that will be sent in parts."""

    name = serializers.CharField(max_length=255, help_text="The file's or the set's name, for showing.")
    bytes = serializers.IntegerField(min_value=1, max_value=2**53, help_text="Of the file, or of all files.")
    sha256 = serializers.RegexField(
        r"^[0-9a-fA-F]{64}$", help_text="Of the whole file, or of all files one after another, in hexadecimal."
    )
    files = FileAnnounced(
        many=True,
        required=False,
        help_text="Files of a set, in the order in which their bytes follow each other. A part may hold several.",
    )

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        files = values.get("files")
        if files and sum(file["bytes"] for file in files) != values["bytes"]:
            raise serializers.ValidationError({"bytes": _("The files have other sizes together.")})
        return values


class UploadShown(Base):
    """How far an upload is."""

    id = serializers.CharField()
    name = serializers.CharField()
    bytes = serializers.IntegerField()
    part_bytes = serializers.IntegerField(help_text="Size of every part but the last.")
    parts = serializers.IntegerField(help_text="How many parts there are, counted from 1.")
    missing = serializers.ListField(child=serializers.IntegerField(), help_text="Parts that have not come.")
    url = serializers.CharField()


class UploadsView(ApiView):
    """Large files in parts."""

    scopes = {"POST": "studies:write"}
    rights = {"POST": "studies.change_study"}

    @extend_schema(request=Announced, responses={201: UploadShown})
    def post(self, request: Request) -> Response:
        """Announce a file, or a set of files, that will be sent in parts.

        Send each part with PUT to `url` + `/parts/` + its number, in any order, then name the upload where an import
        asks for its archive. What is not used within a day is deleted.
        """
        fields = sent(Announced, request.data)
        user: Any = request.user
        files = [(file["path"], file["bytes"]) for file in fields.get("files", ())]
        row = services.begin(
            owner=user,
            name=fields["name"],
            files=files or [(fields["name"], fields["bytes"])],
            sha256=fields["sha256"],
            now=clock.now(),
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
        services.discard(upload=_own(request, key))
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
        services.put_part(upload=row, number=number, content=content, sha256=digest)
        return Response(_shown(row))


def _own(request: Request, key: str) -> Upload:
    user: Any = request.user
    return queries.upload(user.pk, key)


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
            "missing": queries.missing(row),
            "url": _url(row),
        }
    ).data

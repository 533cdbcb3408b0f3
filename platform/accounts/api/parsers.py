"""Request bodies: JSON of limited size, and raw bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser

from core.web import client_input


class TooLarge(APIException):
    """The body is larger than this endpoint allows."""

    status_code = 413
    default_code = "too_large"


class Json(BaseParser):
    """JSON objects. A NUL is refused: PostgreSQL can't store it."""

    media_type = "application/json"

    def parse(self, stream: IO[Any], media_type: str | None = None, context: Mapping[str, Any] | None = None) -> Any:
        most = int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
        content = stream.read(most + 1)
        if len(content) > most:
            raise TooLarge(_("JSON may have at most {bytes} bytes here.").format(bytes=most))
        if b"\\u0000" in content:
            raise ParseError(_("The character NUL can’t be stored."))
        try:
            value = client_input.json_value(content, parse_constant=_refuse)
            # A lone surrogate is no character: no database takes it.
            json.dumps(value, ensure_ascii=False).encode()
        except ValueError:
            raise ParseError(_("That is no JSON object.")) from None
        if not isinstance(value, dict):
            raise ParseError(_("That is no JSON object."))
        return value


class Bytes(BaseParser):
    """The raw bytes of a part; the view reads the stream."""

    media_type = "application/octet-stream"

    def parse(self, stream: IO[Any], media_type: str | None = None, context: Mapping[str, Any] | None = None) -> Any:
        return stream


def _refuse(name: str) -> None:
    raise ValueError(name)

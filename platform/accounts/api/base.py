"""Base view of all endpoints except the raters'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer
from rest_framework.views import APIView

from accounts.api import errors
from accounts.api.access import BrowserAuthentication, PerToken, Scoped, TokenAuthentication
from accounts.api.parsers import Json

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.serializers import Serializer


class ApiView(APIView):
    """JSON in and out, for tokens and signed-in staff; `scopes` and `rights` list what each method requires."""

    authentication_classes = (TokenAuthentication, BrowserAuthentication)
    permission_classes = (Scoped,)
    throttle_classes = (PerToken,)
    renderer_classes = (JSONRenderer,)
    parser_classes: tuple[type[BaseParser], ...] = (Json,)

    scopes: ClassVar[dict[str, str]] = {}
    rights: ClassVar[dict[str, str]] = {}

    def get_exception_handler(self) -> Any:
        return errors.handler

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Forbid all caches to keep the response."""
        final_response = super().finalize_response(request, response, *args, **kwargs)
        final_response.headers.setdefault("Cache-Control", "no-store")
        return final_response


def sent(shape: type[Serializer[Any]], data: Any) -> dict[str, Any]:
    """Validate a body or query; raises the framework's ValidationError, which names each field."""
    read = shape(data=data)
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)

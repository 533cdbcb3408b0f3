"""How the OpenAPI description is generated from the views."""

from __future__ import annotations

import re
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema

from accounts.api.shapes import Refusal


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Documents the token in the Authorization header."""

    target_class = "accounts.api.access.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A token from the admin: API tokens."}


class BrowserScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Documents that people signed in to the admin may try it in the browser."""

    target_class = "accounts.api.access.BrowserAuthentication"
    name = "browser"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid", "description": "Signed in to the admin."}


class Described(AutoSchema):
    """Takes the description from a view's docstrings; adds the common error format to every operation."""

    def get_operation_id(self) -> str:
        name = type(self.view).__name__.removesuffix("View")
        return f"{self.method.lower()}_{re.sub(r'(?<!^)(?=[A-Z])', '_', name).lower()}"

    def get_summary(self) -> str:
        return self._said().partition("\n")[0].rstrip(".")

    def get_description(self) -> str:  # type: ignore[override]
        view: Any = self.view
        scope = view.scopes.get(self.method, "")
        says = self._said().partition("\n")[2].strip()
        return "\n\n".join(filter(None, [says, f"Scope: `{scope}`." if scope else ""]))

    def _said(self) -> str:
        method = getattr(self.view, self.method.lower())
        lines = (method.__doc__ or "").strip().splitlines()
        return "\n".join(line.strip() for line in lines)

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        bodies = super()._get_response_bodies(direction)
        build: Any = self._get_response_for_code
        refusal = build(Refusal, "default", direction=direction)
        return {**bodies, "default": {**refusal, "description": "A refusal."}}

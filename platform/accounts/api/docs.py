"""The API's description: as an OpenAPI file, and as a page that can try it."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET

# Sent from the package: as static files they would be compressed at every start.
ASSETS = {"swagger-ui.css": "text/css", "swagger-ui-bundle.js": "text/javascript"}


@cache
def description() -> bytes:
    """Return the OpenAPI file; built once a process, in about a second."""
    # Only this file needs the generator.
    from drf_spectacular.generators import SchemaGenerator
    from drf_spectacular.renderers import OpenApiYamlRenderer

    generator: Any = SchemaGenerator()  # type: ignore[no-untyped-call]
    renderer: Any = OpenApiYamlRenderer()
    rendered: bytes = renderer.render(generator.get_schema(request=None, public=True), renderer_context={})
    return rendered


@require_GET
def openapi(request: HttpRequest) -> HttpResponse:
    """Send the OpenAPI file. It is public: it names no study and no person."""
    return HttpResponse(description(), content_type="application/vnd.oai.openapi; charset=utf-8")


@require_GET
@ensure_csrf_cookie
def page(request: HttpRequest) -> HttpResponse:
    """Show Swagger UI from this server's own files; requests run as the signed-in user."""
    return render(request, "accounts/api.html")


@require_GET
def asset(request: HttpRequest, name: str) -> FileResponse:
    """Send one of the two files of Swagger UI."""
    return FileResponse(
        (_folder() / name).open("rb"),
        content_type=f"{ASSETS[name]}; charset=utf-8",
        headers={"Cache-Control": "public, max-age=86400"},
    )


@cache
def _folder() -> Path:
    spec = find_spec("drf_spectacular_sidecar")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "static" / "drf_spectacular_sidecar" / "swagger-ui-dist"

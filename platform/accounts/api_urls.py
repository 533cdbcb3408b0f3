"""Addresses of the owner of a token, and of the API's own description."""

from __future__ import annotations

from django.urls import path

from accounts.api import docs, views
from accounts.uploads import api as uploads_api

urlpatterns = [
    path("me", views.MeView.as_view(), name="me"),
    path("uploads", uploads_api.UploadsView.as_view(), name="uploads"),
    path("uploads/<slug:key>", uploads_api.UploadView.as_view(), name="upload"),
    path("uploads/<slug:key>/parts/<int:number>", uploads_api.PartView.as_view(), name="upload_part"),
    path("openapi.yaml", docs.openapi, name="openapi"),
    path("docs", docs.page, name="docs"),
    *(path(f"docs/{name}", docs.asset, {"name": name}, name=f"docs_{name}") for name in docs.ASSETS),
]

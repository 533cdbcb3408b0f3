"""Addresses about the one who asks, and the API's own description."""

from __future__ import annotations

from django.urls import path

from accounts.api import docs, views

urlpatterns = [
    path("me", views.MeView.as_view(), name="me"),
    path("uploads", views.UploadsView.as_view(), name="uploads"),
    path("uploads/<slug:key>", views.UploadView.as_view(), name="upload"),
    path("uploads/<slug:key>/parts/<int:number>", views.PartView.as_view(), name="upload_part"),
    path("openapi.yaml", docs.openapi, name="openapi"),
    path("docs", docs.page, name="docs"),
    *(path(f"docs/{name}", docs.asset, {"name": name}, name=f"docs_{name}") for name in docs.ASSETS),
]

"""Pages of studies."""

from __future__ import annotations

from django.urls import URLPattern

app_name = "analysis"
urlpatterns: list[URLPattern] = []

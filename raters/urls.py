"""Pages of raters."""

from __future__ import annotations

from django.urls import URLPattern

app_name = "raters"
urlpatterns: list[URLPattern] = []

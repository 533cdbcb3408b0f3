"""URLs of previews, for researchers only."""

from __future__ import annotations

from django.urls import path

from raters.previews import dry_run_views, views

app_name = "previews"
urlpatterns = [
    path("studies/<slug:slug>/preview/", views.start, name="start"),
    path("studies/<slug:slug>/dry-run/", dry_run_views.dry_run, name="dry_run"),
    path("studies/<slug:slug>/dry-run/progress", dry_run_views.progress, name="dry_run_progress"),
    path("studies/<slug:slug>/dry-run/delete", dry_run_views.delete, name="dry_run_delete"),
    path("previews/<slug:slug>/", views.phone, name="phone"),
    path("previews/<slug:slug>/step", views.step, name="step"),
]

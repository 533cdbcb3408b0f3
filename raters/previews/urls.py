"""Pages of previews, for researchers alone."""

from __future__ import annotations

from django.urls import path

from raters.previews import views

app_name = "previews"
urlpatterns = [
    path("studies/<slug:slug>/preview/", views.start, name="start"),
    path("previews/<slug:slug>/", views.phone, name="phone"),
    path("previews/<slug:slug>/step", views.step, name="step"),
]

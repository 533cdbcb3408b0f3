"""Addresses of studies outside the admin."""

from __future__ import annotations

from django.urls import path

from studies.pages import invitation_views

app_name = "members"
urlpatterns = [path("<slug:token>/", invitation_views.invitation, name="invitation")]

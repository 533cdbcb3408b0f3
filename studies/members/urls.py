"""The address of an invitation to a study."""

from __future__ import annotations

from django.urls import path

from studies.members import invitation_views

app_name = "members"
urlpatterns = [path("<slug:token>/", invitation_views.invitation, name="invitation")]

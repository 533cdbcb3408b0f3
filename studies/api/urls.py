"""Addresses of studies, clips and imports."""

from __future__ import annotations

from django.urls import path

from studies.api import clips, studies

STUDY = "studies/<slug:slug>"
urlpatterns = [
    path("presets", studies.PresetsView.as_view(), name="presets"),
    path("studies", studies.StudiesView.as_view(), name="studies"),
    path(STUDY, studies.StudyView.as_view(), name="study"),
    path(f"{STUDY}/validate", studies.ValidateView.as_view(), name="validate"),
    *(path(f"{STUDY}/{name}", view.as_view(), name=name) for name, view in studies.moves().items()),
    path(f"{STUDY}/versions", studies.VersionsView.as_view(), name="versions"),
    path(f"{STUDY}/versions/<int:number>", studies.VersionView.as_view(), name="version"),
    path(f"{STUDY}/clips", clips.ClipsView.as_view(), name="clips"),
    path(f"{STUDY}/clips/<int:pk>", clips.ClipView.as_view(), name="clip"),
    path(f"{STUDY}/clips/<int:pk>/withdraw", clips.WithdrawView.as_view(), name="withdraw"),
    path(f"{STUDY}/clips/<int:pk>/restore", clips.RestoreView.as_view(), name="restore"),
    path(f"{STUDY}/imports", clips.ImportsView.as_view(), name="imports"),
    path(f"{STUDY}/imports/<int:pk>", clips.ImportView.as_view(), name="import"),
]

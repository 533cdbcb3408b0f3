"""Addresses of studies, clips and imports."""

from __future__ import annotations

from django.urls import path

from studies.api import clips as clip_api
from studies.api import copying, readiness
from studies.api import questions as question_api
from studies.api import studies as api
from studies.api import texts as corpus_api

STUDY = "studies/<slug:slug>"
urlpatterns = [
    path("presets", api.PresetsView.as_view(), name="presets"),
    path("studies", api.StudiesView.as_view(), name="studies"),
    path(STUDY, api.StudyView.as_view(), name="study"),
    path(f"{STUDY}/validate", api.ValidateView.as_view(), name="validate"),
    path(f"{STUDY}/audit", readiness.AuditView.as_view(), name="audit"),
    path(f"{STUDY}/cost", readiness.CostView.as_view(), name="cost"),
    *(path(f"{STUDY}/{name}", view.as_view(), name=name) for name, view in api.moves().items()),
    path(f"{STUDY}/duplicate", copying.DuplicateView.as_view(), name="duplicate"),
    path(f"{STUDY}/versions", api.VersionsView.as_view(), name="versions"),
    path(f"{STUDY}/versions/<int:number>", api.VersionView.as_view(), name="version"),
    path(f"{STUDY}/clips", clip_api.ClipsView.as_view(), name="clips"),
    path(f"{STUDY}/clips/<int:pk>", clip_api.ClipView.as_view(), name="clip"),
    path(f"{STUDY}/clips/<int:pk>/withdraw", clip_api.WithdrawView.as_view(), name="withdraw"),
    path(f"{STUDY}/clips/<int:pk>/restore", clip_api.RestoreView.as_view(), name="restore"),
    path(f"{STUDY}/texts", corpus_api.TextsView.as_view(), name="texts"),
    path(f"{STUDY}/questions", question_api.QuestionsView.as_view(), name="questions"),
    path(f"{STUDY}/imports", clip_api.ImportsView.as_view(), name="imports"),
    path(f"{STUDY}/imports/<int:pk>", clip_api.ImportView.as_view(), name="import"),
]

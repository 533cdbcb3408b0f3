"""Pages of studies."""

from __future__ import annotations

from django.urls import path

from analysis.views import exports, studies

app_name = "analysis"
urlpatterns = [
    path("", studies.index, name="index"),
    path("<slug:slug>/", studies.study, name="study"),
    path("<slug:slug>/figures", studies.figures, name="figures"),
    path("<slug:slug>/export", exports.export, name="export"),
    path("<slug:slug>/exports/<int:pk>/", exports.export_detail, name="export_detail"),
    path("<slug:slug>/exports/<int:pk>/download", exports.export_download, name="export_download"),
]

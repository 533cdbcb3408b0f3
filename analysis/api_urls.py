"""API URLs of progress, ratings, scores, exports, analyses and metrics."""

from __future__ import annotations

from django.urls import path

from analysis.exports import api as exports_api
from analysis.exports import tables_api
from analysis.live import api as live_api
from analysis.metrics import api as metrics_api
from analysis.runs import api as runs_api

STUDY = "studies/<slug:slug>"
urlpatterns = [
    path(f"{STUDY}/progress", live_api.ProgressView.as_view(), name="progress"),
    path(f"{STUDY}/results", live_api.ResultsView.as_view(), name="results"),
    path(f"{STUDY}/sessions", tables_api.SessionsView.as_view(), name="sessions"),
    path(f"{STUDY}/ratings", tables_api.RatingsView.as_view(), name="ratings"),
    path(f"{STUDY}/reviews", tables_api.ReviewsView.as_view(), name="reviews"),
    path(f"{STUDY}/exports", exports_api.ExportsView.as_view(), name="exports"),
    path(f"{STUDY}/exports/<int:pk>", exports_api.ExportView.as_view(), name="export"),
    path(f"{STUDY}/exports/<int:pk>/download", exports_api.DownloadView.as_view(), name="download"),
    path(f"{STUDY}/analyses", runs_api.AnalysesView.as_view(), name="analyses"),
    path(f"{STUDY}/analyses/<int:pk>", runs_api.AnalysisView.as_view(), name="analysis"),
    path(f"{STUDY}/analyses/<int:pk>/results", runs_api.AnalysisResultsView.as_view(), name="analysis_results"),
    path(
        f"{STUDY}/analyses/<int:pk>/documents/<str:file>",
        runs_api.AnalysisDocumentView.as_view(),
        name="analysis_document",
    ),
    path(f"{STUDY}/metrics", metrics_api.MetricsView.as_view(), name="metrics"),
    path(f"{STUDY}/metrics/<int:pk>", metrics_api.MetricValuesView.as_view(), name="metric_values"),
]

"""Addresses of progress, ratings, scores and exports."""

from __future__ import annotations

from django.urls import path

from analysis.api import analyses, exports, results, tables
from analysis.metrics import api as metrics_api

STUDY = "studies/<slug:slug>"
urlpatterns = [
    path(f"{STUDY}/progress", results.ProgressView.as_view(), name="progress"),
    path(f"{STUDY}/results", results.ResultsView.as_view(), name="results"),
    path(f"{STUDY}/sessions", tables.SessionsView.as_view(), name="sessions"),
    path(f"{STUDY}/ratings", tables.RatingsView.as_view(), name="ratings"),
    path(f"{STUDY}/reviews", tables.ReviewsView.as_view(), name="reviews"),
    path(f"{STUDY}/exports", exports.ExportsView.as_view(), name="exports"),
    path(f"{STUDY}/exports/<int:pk>", exports.ExportView.as_view(), name="export"),
    path(f"{STUDY}/exports/<int:pk>/download", exports.DownloadView.as_view(), name="download"),
    path(f"{STUDY}/analyses", analyses.AnalysesView.as_view(), name="analyses"),
    path(f"{STUDY}/analyses/<int:pk>", analyses.AnalysisView.as_view(), name="analysis"),
    path(f"{STUDY}/analyses/<int:pk>/results", analyses.AnalysisResultsView.as_view(), name="analysis_results"),
    path(f"{STUDY}/metrics", metrics_api.MetricsView.as_view(), name="metrics"),
    path(f"{STUDY}/metrics/<int:pk>", metrics_api.MetricValuesView.as_view(), name="metric_values"),
]

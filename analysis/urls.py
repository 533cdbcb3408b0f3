"""Pages of studies."""

from __future__ import annotations

from django.urls import path

from analysis.comparisons import views as comparisons_views
from analysis.data import hiding_views
from analysis.exports import views as exports_views
from analysis.live import dry_run
from analysis.live import views as live_views
from analysis.metrics import views as metrics_views
from analysis.planning import views as planning_views
from analysis.runs import downloads
from analysis.runs import views as runs_views

app_name = "analysis"
urlpatterns = [
    path("<slug:slug>/results/", live_views.study, name="study"),
    path("<slug:slug>/figures", live_views.figures, name="figures"),
    path("<slug:slug>/dry-run/results", dry_run.results, name="dry_run_results"),
    path("<slug:slug>/hidden-scores", hiding_views.hidden_scores, name="hidden_scores"),
    path("<slug:slug>/analyses/", runs_views.index, name="analyses"),
    path("<slug:slug>/analyses/<int:pk>/", runs_views.detail, name="analysis"),
    path("<slug:slug>/analyses/<int:pk>/again", runs_views.again, name="analysis_again"),
    path("<slug:slug>/analyses/<int:pk>/results.json", runs_views.as_json, name="analysis_json"),
    path("<slug:slug>/analyses/<int:pk>/plots/<slug:name>.<str:kind>", runs_views.plot, name="analysis_plot"),
    path("<slug:slug>/analyses/<int:pk>/report.html", downloads.download, {"file": "report.html"}, name="report_html"),
    path("<slug:slug>/analyses/<int:pk>/report.pdf", downloads.download, {"file": "report.pdf"}, name="report_pdf"),
    path("<slug:slug>/analyses/<int:pk>/tables.zip", downloads.download, {"file": "tables.zip"}, name="report_tables"),
    path("<slug:slug>/planning", planning_views.planning, name="planning"),
    path("<slug:slug>/planning/looks/<int:number>.json", planning_views.look_record, name="look_json"),
    path("<slug:slug>/plans/<int:pk>/", planning_views.plan, name="plan"),
    path("<slug:slug>/machines/", comparisons_views.machines, name="machines"),
    path("<slug:slug>/machines/against", comparisons_views.against, name="machines_against"),
    path("<slug:slug>/machines/import", comparisons_views.import_file, name="machines_import"),
    path("<slug:slug>/machines/dnsmos", comparisons_views.begin_dnsmos, name="machines_dnsmos"),
    path("<slug:slug>/machines/dnsmos/progress", comparisons_views.dnsmos_progress, name="machines_dnsmos_progress"),
    path("<slug:slug>/machines/second-look", comparisons_views.second_look, name="machines_second_look"),
    path("<slug:slug>/machines/figures.csv", comparisons_views.download, {"what": "figures"}, name="machines_figures"),
    path("<slug:slug>/machines/clips.csv", comparisons_views.download, {"what": "clips"}, name="machines_clips"),
    path("<slug:slug>/machines/<int:pk>/", metrics_views.metric, name="metric"),
    path("<slug:slug>/machines/<int:pk>/remove", metrics_views.remove, name="metric_remove"),
    path("<slug:slug>/export", exports_views.export, name="export"),
    path("<slug:slug>/exports/<int:pk>/", exports_views.export_detail, name="export_detail"),
    path("<slug:slug>/exports/<int:pk>/download", exports_views.export_download, name="export_download"),
]

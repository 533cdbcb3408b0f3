"""Pages of drafting, under a study's address."""

from __future__ import annotations

from django.urls import path

from studies.drafting import inspect_views, views

app_name = "drafting"
urlpatterns = [
    path("studies/<slug:slug>/drafting/", views.home, name="home"),
    path("studies/<slug:slug>/drafting/runs/<int:pk>/", views.run, name="run"),
    path("studies/<slug:slug>/drafting/runs/<int:pk>/progress", views.progress, name="progress"),
    path("studies/<slug:slug>/drafting/runs/<int:pk>/drafts.csv", views.download, name="download"),
    path("studies/<slug:slug>/drafting/questions/", inspect_views.inspect, name="inspect"),
    path("studies/<slug:slug>/drafting/decisions/", views.decisions, name="decisions"),
    path("studies/<slug:slug>/drafting/prompts/", views.prompt, name="prompt"),
]

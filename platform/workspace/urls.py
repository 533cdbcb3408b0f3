"""The workspace's own pages."""

from __future__ import annotations

from django.urls import path

from workspace import keeping, new_study, pilots, views

app_name = "workspace"
urlpatterns = [
    path("studies/", views.home, name="home"),
    path("new-study/", new_study.new, name="new"),
    path("new-study/presets/<slug:slug>/delete", new_study.delete_preset, name="delete_preset"),
    path("studies/<slug:slug>/", views.overview, name="overview"),
    path("studies/<slug:slug>/recruit/", views.recruit, name="recruit"),
    path("studies/<slug:slug>/live/", views.live, name="live"),
    path("studies/<slug:slug>/live/figures", views.live_figures, name="live_figures"),
    path("studies/<slug:slug>/keep/", keeping.keep, name="keep"),
    path("studies/<slug:slug>/duplicate", keeping.duplicate_study, name="duplicate"),
    path("studies/<slug:slug>/archive", keeping.archive, name="archive"),
    path("studies/<slug:slug>/delete", keeping.delete, name="delete"),
    path("studies/<slug:slug>/pilots/start", pilots.start, name="start_pilot"),
    path("studies/<slug:slug>/pilots/end", pilots.end, name="end_pilot"),
    path("studies/<slug:slug>/pilots/<int:number>/delete", pilots.delete, name="delete_pilot"),
    path("studies/<slug:slug>/live/raise", views.raise_ratings, name="raise_ratings"),
]

"""API URLs of simulated raters."""

from __future__ import annotations

from django.urls import path

from raters.simulation import api

STUDY = "studies/<slug:slug>"
urlpatterns = [
    path(f"{STUDY}/simulations", api.SimulationsView.as_view(), name="simulations"),
    path(f"{STUDY}/simulations/<int:pk>", api.SimulationView.as_view(), name="simulation"),
]

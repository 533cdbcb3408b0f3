"""URLs of raters' pages and endpoints."""

from __future__ import annotations

from django.urls import path

from raters.privacy import views as privacy_views
from raters.sessions import api, arrival, check_views, views

app_name = "raters"
urlpatterns = [
    # Most frequent URLs first.
    path("rate/<slug:slug>/api/played/<slug:key>", api.played, name="played"),
    path("rate/<slug:slug>/api/answers/<slug:token>", api.answers, name="answers"),
    path("rate/<slug:slug>/audio/<slug:key>", api.audio, name="audio"),
    path("s/<slug:slug>/", arrival.arrive, name="arrive"),
    path("rate/<slug:slug>/", views.rate, name="rate"),
    path("rate/<slug:slug>/consent/", views.consent, name="consent"),
    path("rate/<slug:slug>/check/", check_views.check, name="check"),
    path("rate/<slug:slug>/check/sound/<slug:key>", api.check_sound, name="check_sound"),
    path("rate/<slug:slug>/instructions/", views.instructions, name="instructions"),
    path("rate/<slug:slug>/trial/", views.trial, name="trial"),
    path("rate/<slug:slug>/questions/", check_views.questionnaire, name="questionnaire"),
    path("rate/<slug:slug>/end/", views.end, name="end"),
    path("rate/<slug:slug>/leave/", privacy_views.leave, name="leave"),
    path("rate/<slug:slug>/information/", privacy_views.information, name="information"),
    path("rate/<slug:slug>/your-data/", privacy_views.your_data, name="your_data"),
    path("rate/<slug:slug>/api/current", api.current, name="current"),
    path("rate/<slug:slug>/api/failed/<slug:key>", api.failed, name="failed"),
]

"""Pages and endpoints of experts."""

from __future__ import annotations

from django.urls import path

from raters.views.experts import audio, door, overview, review, spot_check, spot_overview

app_name = "experts"
urlpatterns = [
    path("", door.index, name="index"),
    path("sign-in/", door.sign_in, name="sign_in"),
    path("sign-out/", door.sign_out, name="sign_out"),
    path("invitation/<slug:token>/", door.invitation, name="invitation"),
    path("studies/<slug:slug>/review/", review.page, name="review"),
    path("studies/<slug:slug>/review/overview/", overview.page, name="review_overview"),
    path("studies/<slug:slug>/review/api/current", review.current, name="review_current"),
    path("studies/<slug:slug>/review/api/decide/<slug:key>", review.decide, name="review_decide"),
    path("studies/<slug:slug>/review/api/undo/<slug:key>", review.undo, name="review_undo"),
    path("studies/<slug:slug>/review/api/skip/<slug:key>", review.skip, name="review_skip"),
    path("studies/<slug:slug>/spot-check/", spot_check.page, name="spot_check"),
    path("studies/<slug:slug>/spot-check/overview/", spot_overview.page, name="spot_check_overview"),
    path("studies/<slug:slug>/spot-check/api/current", spot_check.current, name="spot_check_current"),
    path("studies/<slug:slug>/spot-check/api/decide/<slug:key>", spot_check.decide, name="spot_check_decide"),
    path("studies/<slug:slug>/spot-check/api/undo/<slug:key>", spot_check.undo, name="spot_check_undo"),
    path("studies/<slug:slug>/spot-check/api/skip/<slug:key>", spot_check.skip, name="spot_check_skip"),
    path("studies/<slug:slug>/audio/<slug:key>", audio.audio, name="audio"),
]

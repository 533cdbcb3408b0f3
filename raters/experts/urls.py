"""URLs of experts' pages and endpoints."""

from __future__ import annotations

from django.urls import path

from raters.experts import overviews
from raters.experts.coding import CODING
from raters.experts.reviewing import REVIEW
from studies.decisions import desk, sign_in_views
from studies.spot_checks import pages as spot_check_pages
from studies.spot_checks.checking import SPOT_CHECK

app_name = "experts"
urlpatterns = [
    path("", sign_in_views.index, name="index"),
    path("sign-in/", sign_in_views.sign_in, name="sign_in"),
    path("sign-out/", sign_in_views.sign_out, name="sign_out"),
    path("invitation/<slug:token>/", sign_in_views.invitation, name="invitation"),
    *desk.urls(SPOT_CHECK),
    *desk.urls(REVIEW),
    *desk.urls(CODING),
    path("studies/<slug:slug>/spot-check/overview/", spot_check_pages.spot_check_page, name="spot_check_overview"),
    path("studies/<slug:slug>/review/overview/", overviews.review_page, name="review_overview"),
    path("studies/<slug:slug>/coding/overview/", overviews.coding_page, name="coding_overview"),
    path("studies/<slug:slug>/audio/<slug:key>", desk.audio, name="audio"),
]

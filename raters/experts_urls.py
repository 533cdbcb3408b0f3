"""Pages and endpoints of experts."""

from __future__ import annotations

from django.urls import path

from raters.views.experts import audio, coding_overview, door, overview, spot_overview
from raters.views.experts.coding import CodingDesk
from raters.views.experts.desk import urls
from raters.views.experts.review import ReviewDesk
from raters.views.experts.spot_check import SpotDesk

app_name = "experts"
urlpatterns = [
    path("", door.index, name="index"),
    path("sign-in/", door.sign_in, name="sign_in"),
    path("sign-out/", door.sign_out, name="sign_out"),
    path("invitation/<slug:token>/", door.invitation, name="invitation"),
    *urls(SpotDesk()),
    *urls(ReviewDesk()),
    *urls(CodingDesk()),
    path("studies/<slug:slug>/spot-check/overview/", spot_overview.page, name="spot_check_overview"),
    path("studies/<slug:slug>/review/overview/", overview.page, name="review_overview"),
    path("studies/<slug:slug>/coding/overview/", coding_overview.page, name="coding_overview"),
    path("studies/<slug:slug>/audio/<slug:key>", audio.audio, name="audio"),
]

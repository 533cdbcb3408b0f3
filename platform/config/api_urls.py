"""The addresses of the API: /api/v1/…"""

from __future__ import annotations

from django.urls import re_path

from accounts.api.views import NowhereView
from accounts.api_urls import urlpatterns as accounts
from analysis.api_urls import urlpatterns as analysis
from judge.api_urls import urlpatterns as judge
from raters.api_urls import urlpatterns as raters
from studies.api.urls import urlpatterns as studies

app_name = "api"
urlpatterns = [
    *accounts,
    *studies,
    *raters,
    *analysis,
    *judge,
    # Last: unknown addresses get an error in the same format.
    re_path("", NowhereView.as_view(), name="nowhere"),
]

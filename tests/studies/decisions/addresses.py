"""The program's addresses with one more kind of work."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import include, path

from config import urls as program
from raters.experts import urls as experts_urls
from studies.decisions import desk
from tests.studies.decisions.politeness import POLITENESS


def overview(request: HttpRequest, slug: str) -> HttpResponse:
    return HttpResponse(slug)


experts = [
    *desk.urls(POLITENESS),
    path("studies/<slug:slug>/politeness/overview/", overview, name="politeness_overview"),
    *experts_urls.urlpatterns,
]
urlpatterns = [path("experts/", include((experts, "experts"))), *program.urlpatterns]
desk.KINDS.remove(POLITENESS)

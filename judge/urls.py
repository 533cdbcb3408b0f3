"""URLs of a study's judge and pre-screening pages."""

from __future__ import annotations

from django.urls import path

from judge.prescreening import views as prescreening_views
from judge.runs import views as runs_views

app_name = "judge"
urlpatterns = [
    path("<slug:slug>/judge/", runs_views.judge, name="judge"),
    path("<slug:slug>/judge/<int:pk>/", runs_views.run, name="run"),
    path("<slug:slug>/judge/<int:pk>/cancel", runs_views.cancel, name="cancel"),
    path("<slug:slug>/prescreening/", prescreening_views.prescreening, name="prescreening"),
    path("<slug:slug>/prescreening/hold", prescreening_views.hold, name="hold"),
    path("<slug:slug>/prescreening/hold/<int:pk>/undo", prescreening_views.undo, name="undo"),
]

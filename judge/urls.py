"""A study's pages about machines that listen before people do."""

from __future__ import annotations

from django.urls import path

from judge.views import runs, screening

app_name = "judge"
urlpatterns = [
    path("<slug:slug>/judge/", runs.judge, name="judge"),
    path("<slug:slug>/judge/<int:pk>/", runs.run, name="run"),
    path("<slug:slug>/judge/<int:pk>/cancel", runs.cancel, name="cancel"),
    path("<slug:slug>/prescreening/", screening.prescreening, name="prescreening"),
    path("<slug:slug>/prescreening/hold", screening.hold, name="hold"),
    path("<slug:slug>/prescreening/hold/<int:pk>/undo", screening.undo, name="undo"),
]

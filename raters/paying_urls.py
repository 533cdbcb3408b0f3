"""Pages on a study's pay, and where the platform sends messages."""

from __future__ import annotations

from django.urls import path

from raters.views.paying import hook, lists, overview, platforms

app_name = "paying"
urlpatterns = [
    path("studies/<slug:slug>/paying/", overview.page, name="overview"),
    path("studies/<slug:slug>/paying/link", platforms.link, name="link"),
    path("studies/<slug:slug>/paying/unlink", platforms.unlink, name="unlink"),
    path("studies/<slug:slug>/paying/read", platforms.read, name="read"),
    path("studies/<slug:slug>/paying/upload", platforms.upload, name="upload"),
    path("studies/<slug:slug>/paying/decide", platforms.decide, name="decide"),
    path("studies/<slug:slug>/paying/prepare", lists.prepare, name="prepare"),
    path("studies/<slug:slug>/paying/lists/<int:pk>/", lists.page, name="listed"),
    path("studies/<slug:slug>/paying/lists/<int:pk>/take-off", lists.take_off, name="take_off"),
    path("studies/<slug:slug>/paying/lists/<int:pk>/put-on", lists.put_on, name="put_on"),
    path("studies/<slug:slug>/paying/lists/<int:pk>/confirm", lists.confirm, name="confirm"),
    path("studies/<slug:slug>/paying/lists/<int:pk>/drop", lists.drop, name="drop"),
    path("studies/<slug:slug>/paying/lists/<int:pk>/go-on", lists.go_on, name="go_on"),
    path("studies/<slug:slug>/paying/lists/<int:pk>/resolve", lists.resolve, name="resolve"),
    path("hooks/prolific", hook.prolific, name="hook"),
]

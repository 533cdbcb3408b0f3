"""URLs of a study's payment pages, and of the platforms' webhooks."""

from __future__ import annotations

from django.urls import path

from raters.payments import list_views, views, webhook

app_name = "paying"
urlpatterns = [
    path("studies/<slug:slug>/paying/", views.page, name="overview"),
    path("studies/<slug:slug>/paying/link", list_views.link, name="link"),
    path("studies/<slug:slug>/paying/unlink", list_views.unlink, name="unlink"),
    path("studies/<slug:slug>/paying/read", list_views.read, name="read"),
    path("studies/<slug:slug>/paying/upload", list_views.upload, name="upload"),
    path("studies/<slug:slug>/paying/decide", list_views.decide, name="decide"),
    path("studies/<slug:slug>/paying/prepare", list_views.prepare, name="prepare"),
    path("studies/<slug:slug>/paying/lists/<int:pk>/", list_views.page, name="listed"),
    path("studies/<slug:slug>/paying/lists/<int:pk>/take-off", list_views.take_off, name="take_off"),
    path("studies/<slug:slug>/paying/lists/<int:pk>/put-on", list_views.put_on, name="put_on"),
    path("studies/<slug:slug>/paying/lists/<int:pk>/confirm", list_views.confirm, name="confirm"),
    path("studies/<slug:slug>/paying/lists/<int:pk>/drop", list_views.discard, name="drop"),
    path("studies/<slug:slug>/paying/lists/<int:pk>/go-on", list_views.resume, name="go_on"),
    path("studies/<slug:slug>/paying/lists/<int:pk>/resolve", list_views.resolve, name="resolve"),
    path("hooks/<slug:source>", webhook.receive, name="hook"),
]

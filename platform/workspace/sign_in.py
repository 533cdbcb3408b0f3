"""The sign-in page of researchers."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse


def sign_in(request: HttpRequest) -> HttpResponseBase:
    """Sign in by the admin's form; an address that names no page to go on to leads to *Studies*."""
    if "next" in request.GET or "next" in request.POST:
        return admin.site.login(request)
    if request.method == "GET" and admin.site.has_permission(request):
        return redirect("workspace:home")
    return admin.site.login(request, {"next": reverse("workspace:home")})

"""The front door, the health check and the error pages."""

from __future__ import annotations

from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _


def home(request: HttpRequest) -> HttpResponse:
    """Say where one is; studies are never listed to strangers."""
    return render(request, "core/home.html")


def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200 when the database answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"status": "ok"})


def problem(request: HttpRequest, *, status: int, title: str, message: str) -> HttpResponse:
    """Show a plain page that says what is wrong and what to do."""
    return render(request, "core/problem.html", {"title": title, "message": message}, status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return problem(request, status=400, title=_("That request made no sense"), message=_("Go back and try again."))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return problem(
        request, status=403, title=_("You can't see this page"), message=_("Ask the study's owner to let you in.")
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return problem(
        request, status=404, title=_("There is no such page"), message=_("Check the link, or ask whoever sent it.")
    )


def server_error(request: HttpRequest) -> HttpResponse:
    return problem(
        request,
        status=500,
        title=_("Something broke on our side"),
        message=_("Nothing that you saved is lost. Wait a moment, then load the page again."),
    )

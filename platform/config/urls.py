"""The addresses of each app's pages."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from core.web.views import healthz, home, livez, metrics, readyz, status, styleguide
from workspace.sign_in import sign_in

urlpatterns = [
    # First, since most requests are theirs.
    path("", include("raters.urls")),
    path("", home, name="home"),
    path("livez", livez, name="livez"),
    path("readyz", readyz, name="readyz"),
    path("healthz", healthz, name="healthz"),
    path("metrics", metrics, name="metrics"),
    path("styleguide/", styleguide, name="styleguide"),
    path("admin/status/", admin.site.admin_view(status), name="status"),
    path("admin/login/", sign_in, name="sign_in"),
    path("admin/", admin.site.urls),
    path("api/v1/", include("config.api_urls")),
    path("invitations/", include("studies.members.urls")),
    path("", include("workspace.urls")),
    path("studies/", include("studies.urls")),
    path("", include("studies.drafting.urls")),
    path("studies/", include("analysis.urls")),
    path("studies/", include("judge.urls")),
    path("experts/", include("raters.experts.urls")),
    path("", include("raters.payments.urls")),
    path("", include("raters.previews.urls")),
]
handler400 = "core.web.views.bad_request"
handler403 = "core.web.views.forbidden"
handler404 = "core.web.views.not_found"
handler500 = "core.web.views.server_error"

"""Studies in the admin: their list, and the way on to their pages."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponsePermanentRedirect
from django.shortcuts import redirect
from django.urls import URLPattern, re_path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from studies import hooks
from studies.definition.models import Study
from studies.members import access
from studies.members.pages import READING
from studies.members.rows import StudyRows
from studies.rules.roles import Capability

# What stood below a study here in release 0.1, and now stands below the study's own address.
MOVED = "clips|texts|questions|imports|uploads|audit|launch|move|languages|experts|members"


@admin.register(Study)
class StudyAdmin(StudyRows[Study]):
    """The list of studies, whose rows open the study; and the addresses that its pages had in release 0.1."""

    study = "pk"
    # Its manager leaves them out.
    hides_previews = False
    list_display = ("title", "slug", "pill", "owner", "created_at", "launched_at")
    list_filter = ("state",)
    search_fields = ("title", "slug")
    list_select_related = ("owner",)
    view_on_site = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Study]:
        # A pilot stays as it was started, so it has none of these pages.
        return super().get_queryset(request).filter(pilot_of=None)

    def get_urls(self) -> list[URLPattern]:
        moved = re_path(rf"^(?P<pk>[0-9]{{1,18}})/(?P<rest>({MOVED})/.*)$", self.admin_site.admin_view(self.moved))
        return [moved, *super().get_urls()]

    def moved(self, request: HttpRequest, pk: str, rest: str) -> HttpResponse:
        """Lead from an address of release 0.1 to the same page below the study's own address."""
        study = self.get_object(request, pk)
        if study is None:
            raise Http404
        address = reverse("studies:launch", args=[study.slug]).removesuffix("launch/") + rest
        query = f"?{query}" if (query := request.META["QUERY_STRING"]) else ""
        # A form that is open in a browser is sent again as it is.
        return HttpResponsePermanentRedirect(address + query, preserve_request=request.method not in READING)

    @admin.display(description=gettext_lazy("state"), ordering="state")
    def pill(self, study: Study) -> SafeString:
        return format_html('<span class="pill pill-{}">{}</span>', study.state, study.get_state_display())

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Study | None = None) -> bool:
        is_allowed = obj is None or access.may(obj, request.user, Capability.SEE_STUDY)
        return is_allowed and super().has_view_permission(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: Study | None = None) -> bool:
        is_allowed = obj is None or access.may(obj, request.user, Capability.CHANGE_STUDY)
        return is_allowed and super().has_change_permission(request, obj)

    def add_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        [page] = hooks.new_study_page
        return cast(HttpResponse, page(request))

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        study = self.get_object(request, object_id)
        if study is None or not self.has_view_permission(request, study):
            # Django's own answer: the study isn't there, or not for this person.
            return super().change_view(request, object_id, *args, **kwargs)
        if request.method not in READING:
            return HttpResponseNotAllowed(READING)
        return redirect(hooks.workspace().overview, study.slug)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        return super().changelist_view(request, {"title": _("Studies"), **(extra_context or {})})

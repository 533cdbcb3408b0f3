"""Rows of studies in the admin: which ones a person sees and may act on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.views.main import PAGE_VAR
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from accounts.users.own_rows import Base
from core.web import client_input
from studies.members import access
from studies.rules.roles import Capability

M = TypeVar("M", bound=Model)


if TYPE_CHECKING:
    Pages = Paginator[Any]
else:
    Pages = Paginator
# A list counts this many rows beyond its page.
COUNTED = 1000


class CountedPaginator(Pages):
    """A paginator that counts at most `most` rows, so that a large table costs as much as a small one."""

    most = 0

    @cached_property
    def counted(self) -> int:
        rows = self.object_list
        assert isinstance(rows, QuerySet)
        return rows.order_by()[: self.most + 1].count()

    @property
    def count(self) -> int:
        return min(self.counted, self.most)

    @property
    def has_more(self) -> bool:
        """True if there are more rows than `count`; a later page counts further."""
        return self.counted > self.most


class StudyRows(Base[M]):
    """Limit every list, page and action to rows of studies where the user's role allows it; superusers see all."""

    # The path from a row to its study.
    study = "study"
    sees = Capability.SEE_STUDY
    acts = Capability.CHANGE_STUDY
    # True if superusers don't see rows of previews either; these have no owner.
    hides_previews = True
    # True if people can be found by platform ids: then only where these may be seen.
    is_searched_by_ids = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        rows = super().get_queryset(request)
        if request.user.is_superuser:
            return rows.filter(**{f"{self.study}__preview_of": None}) if self.hides_previews else rows
        rows = self.of_studies(rows, request.user, self.sees)
        if self.is_searched_by_ids and (request.GET.get("q") or any("ext_" in name for name in request.GET)):
            rows = self.of_studies(rows, request.user, Capability.SEE_PLATFORM_IDS)
        return rows

    def get_paginator(self, request: HttpRequest, *pages: Any, **more: Any) -> Pages:
        paginator = CountedPaginator(*pages, **more)
        page = client_input.whole_number(request.GET.get(PAGE_VAR, "")) or 1
        paginator.most = page * self.list_per_page + COUNTED
        return paginator

    def of_studies(self, rows: QuerySet[M], user: Any, capability: Capability) -> QuerySet[M]:
        """Return the rows of studies where this user has a capability."""
        return rows.filter(**{f"{self.study}__in": access.visible(user, capability).values("pk")})

    def acts_somewhere(self, request: HttpRequest) -> bool:
        """True if this user may act on rows of any study; actions check further."""
        return access.visible(request.user, self.acts).exists()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if not super().has_delete_permission(request, obj):
            return False
        if obj is None or request.user.is_superuser:
            return self.acts_somewhere(request)
        return self.of_studies(self.model._default_manager.filter(pk=obj.pk), request.user, self.acts).exists()

    def response_action(self, request: HttpRequest, queryset: QuerySet[M], *place: Any) -> HttpResponse | None:
        """Refuse an action completely if some of its rows are read-only for the user."""
        if not request.user.is_superuser:
            numbers = map(client_input.whole_number, request.POST.getlist(ACTION_CHECKBOX_NAME))
            is_all = request.POST.get("select_across") == "1"
            chosen = queryset if is_all else queryset.filter(pk__in=[each for each in numbers if each is not None])
            allowed = self.of_studies(self.model._default_manager.all(), request.user, self.acts)
            if chosen.exclude(pk__in=allowed.values("pk")).exists():
                refused = _("Your role doesn’t allow this for all of the rows you chose. Nothing was changed.")
                messages.error(request, refused)
                return HttpResponseRedirect(request.get_full_path())
        return super().response_action(request, queryset, *place)

"""How a session's checks went, on its page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from raters.models import CheckResult, FairCheck, Session

if TYPE_CHECKING:
    Inline = admin.TabularInline[CheckResult | FairCheck, Session]
else:
    Inline = admin.TabularInline


class _Shown(Inline):
    """For whoever may see the session; nobody changes them."""

    ordering = ("pk",)
    extra = 0
    can_delete = False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("raters.view_session")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ChecksInline(_Shown):
    """Every check that was met, before the first clip and between two sets."""

    model = CheckResult
    verbose_name_plural = _("checks before and between sets")
    fields = ("name", "round", "tries", "right", "of", "passed", "at")
    readonly_fields = fields


class FairChecksInline(_Shown):
    """What attention checks asked, and what was answered."""

    model = FairCheck
    verbose_name_plural = _("attention checks")
    fields = ("kind", "asked", "answered", "passed", "at")
    readonly_fields = fields

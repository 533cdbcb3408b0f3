"""Researchers in the admin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.users.models import User
from accounts.users.roles import RESEARCHERS
from core.web import limits

if TYPE_CHECKING:
    Base = UserAdmin[User]
else:
    Base = UserAdmin


# A study's own steps lead on; a list of tables beside them would only take room.
admin.site.enable_nav_sidebar = False
admin.site.login = limits.sign_in(admin.site.login)  # type: ignore[assignment, method-assign]
admin.site.index_title = _("Overview")


@admin.register(User)
class ResearcherAdmin(Base):
    """A new user starts as a researcher who sees their own studies."""

    readonly_fields = ("last_login", "date_joined")
    add_fieldsets = (
        *UserAdmin.add_fieldsets,
        (None, {"classes": ("wide",), "fields": ("email", "is_staff", "groups")}),
    )

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        researchers = Group.objects.filter(name=RESEARCHERS)
        return {"is_staff": True, "groups": list(researchers), **super().get_changeform_initial_data(request)}

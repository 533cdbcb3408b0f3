"""Researchers in the admin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.db import models
from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.users.models import User
from accounts.users.roles import RESEARCHERS
from core.database import references
from core.web import limits

if TYPE_CHECKING:
    Base = UserAdmin[User]
else:
    Base = UserAdmin


# A study's pages have their own navigation; Django's list of tables would only take room.
admin.site.enable_nav_sidebar = False
admin.site.login = limits.sign_in(admin.site.login)  # type: ignore[assignment, method-assign]
admin.site.index_title = _("Overview")
# The page that deletes a user lists the roles by this name; Django's own is “User_groups object (1)”.
User.groups.through.__str__ = lambda row: str(row.group)  # type: ignore[attr-defined, method-assign]


@admin.register(User)
class ResearcherAdmin(Base):
    """A new user is a researcher with access to their own studies."""

    readonly_fields = ("last_login", "date_joined")
    add_fieldsets = (
        *UserAdmin.add_fieldsets,
        (None, {"classes": ("wide",), "fields": ("email", "is_staff", "groups")}),
    )

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        researchers = Group.objects.filter(name=RESEARCHERS)
        return {"is_staff": True, "groups": list(researchers), **super().get_changeform_initial_data(request)}

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """List what keeps people from being deleted as counts: an expert's decisions are too many to list."""
        counts = [(model, _rows(model, name, objs)) for model, name in _holding()]
        held = [_summary(model, number) for model, number in counts if number]
        return ([], {}, set(), held) if held else super().get_deleted_objects(objs, request)


MOST_COUNTED = 1000


def _holding() -> Iterator[tuple[type[models.Model], str]]:
    """Yield the tables that refer to users, and the name of that key."""
    for model, name in references.referencing_tables(User):
        field: Any = model._meta.get_field(name)
        if field.remote_field.on_delete is models.PROTECT:
            yield model, name


def _rows(model: type[models.Model], name: str, users: Any) -> int:
    return model._base_manager.filter(**{f"{name}__in": users})[: MOST_COUNTED + 1].count()


def _summary(model: type[models.Model], number: int) -> str:
    count = number if number <= MOST_COUNTED else gettext("more than %(most)s") % {"most": MOST_COUNTED}
    return f"{capfirst(str(model._meta.verbose_name_plural))}: {count}"

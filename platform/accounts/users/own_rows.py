"""Limits the admin to rows of the user's own studies, and makes records read-only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

M = TypeVar("M", bound=Model)

if TYPE_CHECKING:
    Base = admin.ModelAdmin
else:

    class Base(admin.ModelAdmin):
        """A ModelAdmin that may be written with its model, as the type checker reads it."""

        def __class_getitem__(cls, item: Any) -> type:
            return cls


class OwnRows(Base[M]):
    """Limit every list, page and action to rows of the user's own studies; superusers see all."""

    owner = "study__owner"

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        rows = super().get_queryset(request)
        return rows if request.user.is_superuser else self.owned_by(rows, request.user.pk)

    def owned_by(self, rows: QuerySet[M], user: Any) -> QuerySet[M]:
        """Return the rows that belong to studies of this user."""
        return rows.filter(**{self.owner: user})


class OwnFilter(admin.RelatedOnlyFieldListFilter):
    """A filter by related rows that the user may see, shown even if there is only one.

    Offering only those with rows in the list would read all rows of the list.
    """

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        seen = model_admin.admin_site.get_model_admin(field.remote_field.model).get_queryset(request)
        ordering = self.field_admin_ordering(field, request, model_admin)
        return field.get_choices(include_blank=False, ordering=ordering, limit_choices_to={"pk__in": seen.values("pk")})

    def has_output(self) -> bool:
        return True


class IndexedValues(admin.AllValuesFieldListFilter):
    """A filter by the values of an indexed column, looked up one by one: SELECT DISTINCT would read all rows."""

    def __init__(self, field: Any, request: HttpRequest, params: Any, model: Any, *more: Any, **named: Any) -> None:
        super().__init__(field, request, params, model, *more, **named)
        self.lookup_choices: Any = list(self.values(model._default_manager.order_by(field.name), field.name))

    def values(self, rows: QuerySet[Any, Any], name: str) -> Iterator[Any]:
        """Yield the different values in their order; a SELECT for each."""
        value = rows.values_list(name, flat=True).first()
        while value is not None:
            yield value
            value = rows.filter(**{f"{name}__gt": value}).values_list(name, flat=True).first()


class ReadOnly(Base[M]):
    """Records can't be added, changed or deleted here: corrections are verdicts."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

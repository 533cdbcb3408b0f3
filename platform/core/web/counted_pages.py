"""Pages of a list whose length is known without counting its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.utils.functional import cached_property

if TYPE_CHECKING:
    from django.db.models import QuerySet

    Base = Paginator[Any]
else:
    Base = Paginator


class CountedPaginator(Base):
    """Pages of rows whose number is given; None has them counted."""

    def __init__(self, rows: QuerySet[Any], per_page: int, number: int | None, **options: Any) -> None:
        super().__init__(rows, per_page, **options)
        self.number = number

    @cached_property
    def count(self) -> int:
        return super().count if self.number is None else self.number

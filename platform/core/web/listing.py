"""Long lists on pages: a search by words and pages of rows, by the parameters `q` and `page` of the address."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.http import HttpRequest

ON_A_PAGE = 25
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Listing:
    """What a reader of long lists asked for; rows that contain one of the words match."""

    query: str = ""
    page: str = "1"

    @classmethod
    def of(cls, request: HttpRequest) -> Listing:
        return cls(request.GET.get("q", "").strip()[:200], request.GET.get("page", "1"))

    def page_of(self, rows: Sequence[Row], text: Callable[[Row], str]) -> Page[Row]:
        """Return the rows of this page that match; all rows if they fit on one page."""
        words = self.query.casefold().split()
        matching = [row for row in rows if not words or any(word in text(row).casefold() for word in words)]
        return Paginator(matching if is_long(rows) else rows, ON_A_PAGE).get_page(self.page)


def is_long(rows: Sequence[object]) -> bool:
    return len(rows) > ON_A_PAGE


def longest(pages: Iterable[Page[Any]]) -> Page[Any] | None:
    """Return the list with the most pages, which a page's links count through."""
    return max(pages, key=lambda page: page.paginator.num_pages, default=None)

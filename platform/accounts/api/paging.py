"""Pages of long lists; each page names the cursor of the next, and all cost the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, TypeVar

from django.http import QueryDict
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.shapes import Query

T = TypeVar("T")
MOST = 1000


class Paged(Query):
    """The page of a list that is asked for."""

    cursor = serializers.RegexField(
        r"^[0-9]{1,18}$", required=False, help_text="From `next` of the page before; empty: the first page."
    )
    limit = serializers.IntegerField(min_value=1, max_value=MOST, default=100, help_text="Rows a page.")


def page(
    request: Request, parameters: dict[str, Any], rows: Iterable[T], key: Callable[[T], int], show: Callable[[T], Any]
) -> Response:
    """Return up to `limit` of the rows after the cursor, and the address of the next page.

    `rows` yields one row more than the limit if there is a next page.
    """
    limit = parameters["limit"]
    window = list(islice(rows, limit + 1))
    following = None
    if len(window) > limit:
        query = QueryDict(mutable=True)
        query.update(request.query_params)
        query["cursor"] = str(key(window[limit - 1]))
        following = f"{request.path}?{query.urlencode()}"
    return Response({"results": [show(row) for row in window[:limit]], "next": following})


def after(parameters: dict[str, Any]) -> int | None:
    """Return the key after which the page begins."""
    return int(parameters["cursor"]) if "cursor" in parameters else None

"""Ratings, sessions and reviews page by page: the rows and columns of the exports' tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied

from accounts.api.access import has_scope
from accounts.api.base import ApiView, sent
from accounts.api.paging import Paged, after, page
from accounts.api.shapes import Base, page_of
from analysis.data.api_access import of_study, seeing_scores
from analysis.data.hiding import scores_are_hidden
from analysis.data.models import Simulated
from analysis.exports import people, profiles, ratings, reviews
from analysis.exports.columns import Column, ExportTable, Row, plain
from analysis.exports.source import Source
from raters.experts import review_overview
from raters.people import queries as people_queries
from raters.rating import monitor
from raters.rating import ratings as select_ratings
from studies.clips import black_box
from studies.members import access
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from rest_framework.request import Request
    from rest_framework.response import Response

    from studies.definition.models import Study

# Platform ids are for those who pay: this right on the pages, and this scope of a token.
SEES_PEOPLE, PEOPLE = "raters.view_identity", "people:read"
Field = serializers.Field[Any, Any, Any, Any]
FIELDS: dict[str, type[Field]] = {
    "number": serializers.FloatField,
    "time": serializers.DateTimeField,
    "boolean": serializers.BooleanField,
}


class RowsQuery(Paged):
    """Which rows."""

    simulated = serializers.ChoiceField(
        choices=Simulated.values,
        default=Simulated.WITHOUT.value,
        help_text="Whose: real raters', all, simulated ones'.",
    )


class SessionsQuery(RowsQuery):
    """Which sessions."""

    people = serializers.BooleanField(
        default=False,
        help_text="With the crowd platform's ids; takes the scope `people:read` and the right to see them.",
    )


def shape(name: str, columns: Sequence[Column], **more: Field) -> type[Base]:
    """Return the serializer class of a table's rows; every cell may be null."""
    fields: dict[str, Field] = {
        column.name: FIELDS.get(column.kind, serializers.CharField)(allow_null=True, help_text=column.meaning)
        for column in columns
    }
    return type(name, (Base,), {**fields, **more, "__doc__": f"A row of {name.lower()}s, as in the exports."})


class ExternalIds(Base):
    """How the crowd platform calls a session."""

    study = serializers.CharField(allow_blank=True)
    session = serializers.CharField(allow_blank=True)
    person = serializers.CharField(allow_null=True, help_text="Null: the identity was deleted.")


Rating = shape("Rating", ratings.COLUMNS)
SessionRow = shape("Session", people.RATERS, external=ExternalIds(required=False))
ReviewRow = shape("Review", reviews.COLUMNS)


class RatingsView(ApiView):
    """A study's ratings."""

    scopes = {"GET": "results:read"}

    @extend_schema(parameters=[RowsQuery], responses=page_of(Rating))
    def get(self, request: Request, slug: str) -> Response:
        """List ratings in the order in which they were stored, with the columns of ratings.csv.

        Refused with 403 `scores_hidden` while a study hides its scores.
        """
        query = sent(RowsQuery, request.query_params)
        study = seeing_scores(request, slug, "ratings")
        source = _source(request, study, query)
        every = select_ratings.of_study(study.pk, source.simulated.flag)
        rows = select_ratings.without_sessions(every, source.taken_back, source.definition.kind.score.part)
        table = ExportTable("ratings", ratings.COLUMNS, lambda: ratings.rows(source))
        return _page(request, query, source, rows, table, session="trial__session_id")


class SessionsView(ApiView):
    """A study's sessions."""

    scopes = {"GET": "results:read"}

    @extend_schema(parameters=[SessionsQuery], responses=page_of(SessionRow))
    def get(self, request: Request, slug: str) -> Response:
        """List sessions in order of arrival, with the columns of raters.csv; people go by pseudonyms."""
        query = sent(SessionsQuery, request.query_params)
        study = of_study(request, slug, Capability.SEE_SESSIONS)
        if query["people"]:
            refuse_people(request, study)
        source = _source(request, study, query)
        rows = monitor.sessions_of(study.pk, source.simulated.flag)
        table = ExportTable("raters", people.RATERS, lambda: people.raters(source))
        return _page(request, query, source, rows, table, session="pk", with_people=query["people"])


class ReviewsView(ApiView):
    """What experts decided."""

    scopes = {"GET": "experts:read"}

    @extend_schema(parameters=[RowsQuery], responses=page_of(ReviewRow))
    def get(self, request: Request, slug: str) -> Response:
        """List experts' decisions on reasons in the order in which they were made, with the columns of reviews.csv.

        While a study hides its scores, notes and quotes are null.
        """
        query = sent(RowsQuery, request.query_params)
        study = of_study(request, slug)
        source = _source(request, study, query)
        source.is_blind = scores_are_hidden(study, request.user)
        rows = review_overview.of_study(study.pk, source.simulated.flag)
        table = ExportTable("reviews", reviews.COLUMNS, lambda: reviews.rows(source))
        return _page(request, query, source, rows, table, session="answer__trial__session_id")


def refuse_people(request: Request, study: Study) -> None:
    """Raise `PermissionDenied` unless the token, the user's rights on this server and their role allow platform ids."""
    if not (has_scope(request, PEOPLE) and request.user.has_perm(SEES_PEOPLE)):
        raise PermissionDenied(f"This takes the scope {PEOPLE} and the right to see identities.", "missing_scope")
    access.need(study, request.user, Capability.SEE_PLATFORM_IDS)


def _source(request: Request, study: Study, query: dict[str, Any]) -> Source:
    return Source(
        study,
        Simulated(query["simulated"]),
        without_words=not black_box.gets_words(study, request.user),
        page={"after": after(query), "size": query["limit"] + 1},
    )


def _page(
    request: Request,
    query: dict[str, Any],
    source: Source,
    rows: QuerySet[Any],
    table: ExportTable,
    *,
    session: str,
    with_people: bool = False,
) -> Response:
    """Answer with a page of a table. The cursor uses the keys of the same rows in the same order.

    `session` is the path from a row to its session's key.
    """
    start, most = after(query), query["limit"] + 1
    following = rows.order_by("pk") if start is None else rows.order_by("pk").filter(pk__gt=start)
    of_session = dict(following.values_list("pk", session)[:most])
    keys, source.sessions = list(of_session), set(of_session.values())
    (shaped,) = profiles.shaped([table], source)
    ids = people_queries.ids(keys) if with_people else {}
    hidden = {column.name: None for column in table.columns if column not in shaped.columns}

    def show(pair: tuple[int, Row]) -> dict[str, Any]:
        key, row = pair
        cells = {column.name: plain(column, row[column.name]) for column in shaped.columns} | hidden
        return {**cells, "external": ids[key]._asdict()} if key in ids else cells

    return page(request, query, zip(keys, shaped.rows(), strict=False), lambda pair: pair[0], show)

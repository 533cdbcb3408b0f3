"""How far a study is, and its scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from accounts.api.base import ApiView, sent
from accounts.api.shapes import Base, Query
from analysis.data import reasons
from analysis.data.api_access import of_study, seeing_scores
from analysis.data.models import Simulated
from analysis.live import result, stored
from core import clock
from raters.rating import monitor, ratings
from studies.summaries import services as summaries

if TYPE_CHECKING:
    from rest_framework.request import Request

    from studies.definition.models import Study


class WhichQuery(Query):
    """Whose answers."""

    simulated = serializers.ChoiceField(choices=Simulated.values, default=Simulated.WITHOUT.value)


class Flow(Base):
    """How many sessions came how far."""

    arrived = serializers.IntegerField()
    consented = serializers.IntegerField()
    started = serializers.IntegerField()
    rating = serializers.IntegerField()
    complete = serializers.IntegerField()
    declined = serializers.IntegerField()
    screened_out = serializers.IntegerField(
        help_text="By the first checks (device, listener or instructions), or for a slow connection."
    )
    slow_line = serializers.IntegerField(help_text="Of those: left for a slow connection, before the first answer.")
    withdrawn = serializers.IntegerField()
    no_place = serializers.IntegerField(help_text="Came while every place was taken, and gave no answer.")


class BatchCounts(Base):
    """How many batches are where."""

    valid = serializers.IntegerField()
    invalid = serializers.IntegerField()
    waiting = serializers.IntegerField(help_text="For the worker.")
    open = serializers.IntegerField()
    expired = serializers.IntegerField()
    closed = serializers.IntegerField()


class Progress(Base):
    """How far a study is."""

    computed_at = serializers.DateTimeField(
        allow_null=True, help_text="When a worker counted sessions, batches and ratings, in a large study; null: now."
    )
    state = serializers.CharField()
    sessions = Flow()
    active = serializers.IntegerField(help_text="Raters at work in the last five minutes.")
    batches = BatchCounts()
    ratings = serializers.IntegerField()


class Results(Base):
    """The figures of a study's page."""

    computed_at = serializers.DateTimeField(allow_null=True, help_text="Null: a worker is computing the first ones.")
    is_fresh = serializers.BooleanField(help_text="Whether no newer ones are on their way.")
    figures = serializers.DictField(help_text="Under `scores`, by system, and all else that the page shows.")


class ProgressView(ApiView):
    """How far a study is."""

    scopes = {"GET": "results:read"}

    @extend_schema(parameters=[WhichQuery], responses=Progress)
    def get(self, request: Request, slug: str) -> Response:
        """Count sessions, batches and ratings; no score is among them."""
        study, which = of_study(request, slug), Simulated(sent(WhichQuery, request.query_params)["simulated"])
        counted = None if summaries.are_few(monitor.sessions_of(study.pk, which.flag)) else _as_counted(study, which)
        return Response(Progress(counted or _counted_now(study, which)).data)


def _as_counted(study: Study, which: Simulated) -> dict[str, Any] | None:
    """Return the counts that a worker stored last; None before the first count."""
    shown = stored.newest(study, which, now=clock.now())
    figures = result.load(shown.value or {})
    if figures is None:
        return None
    return {
        "computed_at": shown.computed_at,
        "state": study.state,
        "sessions": figures.people.model_dump(),
        "active": figures.active,
        "batches": figures.batches.model_dump(),
        "ratings": figures.answers,
    }


def _counted_now(study: Study, which: Simulated) -> dict[str, Any]:
    flag = which.flag
    return {
        "computed_at": None,
        "state": study.state,
        "sessions": monitor.flow(study.pk, flag),
        "active": monitor.active(study.pk, flag, clock.now()),
        "batches": monitor.batches(study.pk, flag),
        "ratings": ratings.count(study.pk, flag),
    }


class ResultsView(ApiView):
    """A study's scores."""

    scopes = {"GET": "results:read"}

    @extend_schema(parameters=[WhichQuery], responses=Results)
    def get(self, request: Request, slug: str) -> Response:
        """Return the figures last computed, and ask for newer ones when these are old.

        Refused with 403 `scores_hidden` while a study hides its scores.
        """
        which = Simulated(sent(WhichQuery, request.query_params)["simulated"])
        study = seeing_scores(request, slug, "results")
        shown = stored.newest(study, which, now=clock.now())
        told = {
            "computed_at": shown.computed_at,
            "is_fresh": not shown.is_coming and shown.value is not None,
            "figures": reasons.figures_for(request.user, study, shown.value or {}),
        }
        return Response(Results(told).data)

"""What machines said of clips: judges' scores, DNSMOS and whatever was imported; to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from accounts.api.base import ApiView, sent
from accounts.api.paging import Paged, after, page
from accounts.api.shapes import Base, page_of
from analysis.data.api_access import of_study
from analysis.metrics import queries
from analysis.metrics.models import MetricSet

if TYPE_CHECKING:
    from rest_framework.request import Request

    from studies.definition.models import Study


class MetricShown(Base):
    """One machine's values for a study's clips."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    source = serializers.CharField(allow_blank=True, help_text="What made it: a judge, DNSMOS, an import.")  # type: ignore[assignment]
    direction = serializers.ChoiceField(choices=MetricSet.Direction.values)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    created_at = serializers.DateTimeField()
    scored = serializers.IntegerField(help_text="Clips with a value.")
    failed = serializers.IntegerField(help_text="Clips that it could not score.")
    missing = serializers.IntegerField(help_text="Clips that it does not know.")
    values = serializers.CharField(help_text="Where its values are.")


class ValueShown(Base):
    """One clip's value, or why it has none."""

    clip = serializers.IntegerField(help_text="The clip's id.")
    file = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    failure = serializers.CharField(allow_blank=True)


class MetricsView(ApiView):
    """A study's metrics."""

    scopes = {"GET": "results:read"}

    @extend_schema(responses=MetricShown(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List what machines said of the clips, newest first, judges' scores among it."""
        study = of_study(request, slug)
        sets = queries.sets(study.pk)
        coverage = queries.coverage(sets, study.pk)
        return Response([_shown(study, each, coverage[each.pk]) for each in sets])


class MetricValuesView(ApiView):
    """A metric's values."""

    scopes = {"GET": "results:read"}

    @extend_schema(parameters=[Paged], responses=page_of(ValueShown))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """List one metric's values, clip by clip."""
        query, study = sent(Paged, request.query_params), of_study(request, slug)
        start = after(query)
        rows = queries.of_set(queries.metric_set(study.pk, pk).pk).order_by("clip_id")
        rows = rows if start is None else rows.filter(clip_id__gt=start)
        names = ("clip", "file", "value", "failure")
        listed = rows.values_list("clip_id", "clip__file", "value", "failure")[: query["limit"] + 1]
        return page(request, query, list(listed), lambda row: row[0], lambda row: dict(zip(names, row, strict=True)))


def _shown(study: Study, metric_set: MetricSet, coverage: queries.Coverage) -> dict[str, Any]:
    names = ("name", "source", "direction", "low", "high", "created_at")
    return {
        "id": metric_set.pk,
        **{name: getattr(metric_set, name) for name in names},
        "scored": coverage.scored,
        "failed": coverage.failed,
        "missing": coverage.missing,
        "values": reverse("api:metric_values", args=[study.slug, metric_set.pk]),
    }

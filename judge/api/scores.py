"""What a run of the judge said of each clip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from accounts.api.base import ApiView, sent
from accounts.api.paging import Paged, after, page
from accounts.api.shapes import Base, page_of
from analysis.data.api_access import of_study
from judge.selectors import runs as known
from judge.selectors import scores

if TYPE_CHECKING:
    from rest_framework.request import Request


class ScoresQuery(Paged):
    """Which scores."""

    failed = serializers.BooleanField(default=False, help_text="Only clips without a score.")


class ScoreShown(Base):
    """One clip's score, or why it has none."""

    clip = serializers.IntegerField(help_text="The clip's id.")
    file = serializers.CharField()
    value = serializers.FloatField(allow_null=True, help_text="0 (a machine) to 1 (a human); null: no score.")
    error = serializers.CharField(allow_blank=True, help_text="A stable name of why there is no score.")
    message = serializers.CharField(allow_blank=True, help_text="Why there is no score, for people.")
    warnings = serializers.ListField(child=serializers.CharField(), help_text="Stable names of what is odd about it.")


class JudgeScoresView(ApiView):
    """The scores of a run."""

    scopes = {"GET": "results:read"}

    @extend_schema(parameters=[ScoresQuery], responses=page_of(ScoreShown))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """List a run's scores clip by clip, also while it is under way; clips that were refused are among them."""
        asked, study = sent(ScoresQuery, request.query_params), of_study(request, slug)
        run = known.run(study.pk, pk)
        rows = scores.scores(run, failed=asked["failed"], after=after(asked), limit=asked["limit"] + 1)
        return page(request, asked, rows, lambda row: row.clip, lambda row: row._asdict())

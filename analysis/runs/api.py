"""Analyses: begun, watched, read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import FileResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from accounts.api.base import ApiView, sent
from accounts.api.paging import Paged, after, page
from accounts.api.shapes import Base, JobState, Strict, job_fields, page_of
from analysis.data.api_access import seeing_scores
from analysis.data.models import Simulated
from analysis.report import printing
from analysis.runs import analyses, queries
from analysis.runs.models import Analysis
from core import clock
from core.errors import Conflict, NotFound
from core.files import storage
from core.nudge import nudge

if TYPE_CHECKING:
    from rest_framework.request import Request

    from studies.definition.models import Study


class NewAnalysis(Strict):
    """What to analyse."""

    simulated = serializers.ChoiceField(choices=Simulated.values, default=Simulated.WITHOUT.value)
    versions = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=10**6),
        required=False,
        max_length=100,
        help_text="Numbers of the versions to pool; without them all.",
    )
    seed = serializers.IntegerField(min_value=0, max_value=analyses.MOST_SEED, default=analyses.SEED)


class AnalysisShown(JobState):
    """An analysis, and where its figures are."""

    created_at = serializers.DateTimeField()
    settings = serializers.DictField(help_text="All that its figures depend on beside the answers.")
    section = serializers.CharField(allow_blank=True, help_text="What is being computed now.")
    fingerprint = serializers.CharField(allow_blank=True, help_text="Of the ratings that went in.")
    code_version = serializers.CharField(allow_blank=True)
    erased_raters = serializers.IntegerField(
        help_text="How many raters were erased since: its figures hold them still."
    )
    results = serializers.CharField(allow_null=True, help_text="Where the figures are; null: not done.")
    documents = serializers.DictField(
        child=serializers.CharField(),
        help_text="Where the files are: report.html, report.pdf (where the server can make it), tables.zip.",
    )


class AnalysisResults(Base):
    """Every figure of an analysis, by section."""

    results = serializers.DictField()


class AnalysesView(ApiView):
    """A study's analyses; all of it is refused with 403 `scores_hidden` while the study hides its scores."""

    scopes = {"GET": "results:read", "POST": "results:write"}

    @extend_schema(parameters=[Paged], responses=page_of(AnalysisShown))
    def get(self, request: Request, slug: str) -> Response:
        """List analyses, newest first."""
        query, study = sent(Paged, request.query_params), seeing_scores(request, slug, "analyses")
        rows, start = queries.of(study.pk), after(query)
        rows = rows if start is None else rows.filter(pk__lt=start)
        listed = list(rows[: query["limit"] + 1])
        return page(request, query, listed, lambda row: row.pk, lambda row: _shown(study, row))

    @extend_schema(request=NewAnalysis, responses={202: AnalysisShown})
    def post(self, request: Request, slug: str) -> Response:
        """Begin an analysis; the same one that is still on its way is returned instead of a second."""
        fields, study = sent(NewAnalysis, request.data), seeing_scores(request, slug, "analyses")
        user: Any = request.user
        row = analyses.request_analysis(
            study_id=study.pk,
            user=user,
            now=clock.now(),
            simulated=fields["simulated"],
            versions=fields.get("versions"),
            seed=fields["seed"],
        )
        nudge(row.task_name, row.pk)
        return Response(_shown(study, row), status=202, headers={"Location": _url("analysis", study, row)})


class AnalysisView(ApiView):
    """One analysis."""

    scopes = {"GET": "results:read"}

    @extend_schema(responses=AnalysisShown)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Say how far an analysis is."""
        study = seeing_scores(request, slug, "analyses")
        return Response(_shown(study, queries.analysis(study.pk, pk)))


class AnalysisResultsView(ApiView):
    """An analysis's figures."""

    scopes = {"GET": "results:read"}

    @extend_schema(responses=AnalysisResults)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Return every figure, as the page of the analysis shows them; 409 `not_done` before it is computed."""
        study = seeing_scores(request, slug, "analyses")
        row = queries.analysis(study.pk, pk)
        if not row.results:
            raise Conflict(_("The analysis is not done."), code="not_done", state=row.state)
        return Response({"results": row.results})


class AnalysisDocumentView(ApiView):
    """A file of an analysis."""

    scopes = {"GET": "results:read"}

    @extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
    def get(self, request: Request, slug: str, pk: int, file: str) -> FileResponse:
        """Download a report or the tables, in English; 404 for a file that the analysis doesn't have."""
        study = seeing_scores(request, slug, "analyses")
        name = _documents(queries.analysis(study.pk, pk)).get(file)
        if name is None:
            raise NotFound(_("This analysis has no such file."))
        filename = f"{study.slug}-analysis-{pk}-{file}"
        return FileResponse(
            storage.open_file(name), as_attachment=True, filename=filename, content_type="application/octet-stream"
        )


def _documents(row: Analysis) -> dict[str, str]:
    stored = row.files.get("documents", {})
    return {file: stored[file] for file in (printing.HTML, printing.PDF, printing.TABLES) if stored.get(file)}


def _url(name: str, study: Study, row: Analysis) -> str:
    return reverse(f"api:{name}", args=[study.slug, row.pk])


def _shown(study: Study, row: Analysis) -> dict[str, Any]:
    names = ("created_at", "settings", "section", "fingerprint", "code_version", "erased_raters")
    return {
        **job_fields(row, _url("analysis", study, row)),
        **{name: getattr(row, name) for name in names},
        "results": _url("analysis_results", study, row) if row.state == "done" else None,
        "documents": {
            file: reverse("api:analysis_document", args=[study.slug, row.pk, file]) for file in _documents(row)
        },
    }

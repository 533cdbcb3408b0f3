"""Exports: begun, watched, downloaded."""

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
from accounts.api.shapes import JobState, Strict, job_fields, page_of
from analysis.data.api_access import of_study, seeing_scores
from analysis.data.models import Simulated
from analysis.exports import building
from analysis.exports.models import Export, Format, Layout, Profile
from analysis.exports.tables_api import refuse_people
from core import clock, jobs
from core.errors import Conflict, Gone
from core.files import storage
from core.nudge import nudge
from studies.members import access
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from rest_framework.request import Request

    from studies.definition.models import Study

KINDS = ("simulated", "format", "layout", "profile")


class NewExport(Strict):
    """What to export."""

    simulated = serializers.ChoiceField(choices=Simulated.values, default=Simulated.WITHOUT.value)
    format = serializers.ChoiceField(choices=Format.values, default=Format.CSV.value)
    layout = serializers.ChoiceField(choices=Layout.values, default=Layout.OWN.value)
    profile = serializers.ChoiceField(choices=Profile.values, default=Profile.ANALYSIS.value)


class ExportShown(JobState):
    """An export, and where to download it."""

    simulated = serializers.ChoiceField(choices=Simulated.values)
    format = serializers.ChoiceField(choices=Format.values)
    layout = serializers.ChoiceField(choices=Layout.values)
    profile = serializers.ChoiceField(choices=Profile.values)
    scores_hidden = serializers.BooleanField(help_text="Whether scores were left out: they were hidden from who asked.")
    created_at = serializers.DateTimeField()
    bytes = serializers.IntegerField()
    download = serializers.CharField(allow_null=True, help_text="Null: not done, or its file was deleted since.")


class ExportsView(ApiView):
    """A study's exports."""

    scopes = {"GET": "results:read", "POST": "results:write"}

    @extend_schema(parameters=[Paged], responses=page_of(ExportShown))
    def get(self, request: Request, slug: str) -> Response:
        """List exports, newest first."""
        query, study = sent(Paged, request.query_params), of_study(request, slug, Capability.EXPORT)
        rows, start = building.exports(study.pk), after(query)
        rows = rows if start is None else rows.filter(pk__lt=start)
        listed = list(rows[: query["limit"] + 1])
        return page(request, query, listed, lambda row: row.pk, lambda row: _shown(study, row))

    @extend_schema(request=NewExport, responses={202: ExportShown})
    def post(self, request: Request, slug: str) -> Response:
        """Begin an export; one of the same data that is still on its way is returned instead of a second.

        The profile `payment` takes the scope `people:read`.
        """
        fields, study = sent(NewExport, request.data), of_study(request, slug, Capability.EXPORT)
        _refuse(request, study, fields["profile"])
        user: Any = request.user
        row = building.request_export(
            study_id=study.pk,
            simulated=Simulated(fields["simulated"]),
            format=Format(fields["format"]),
            layout=Layout(fields["layout"]),
            profile=Profile(fields["profile"]),
            user=user,
            now=clock.now(),
        )
        nudge(row.task_name, row.pk)
        return Response(_shown(study, row), status=202, headers={"Location": _url("export", study, row)})


class ExportView(ApiView):
    """One export."""

    scopes = {"GET": "results:read"}

    @extend_schema(responses=ExportShown)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Say how far an export is."""
        study = of_study(request, slug, Capability.EXPORT)
        return Response(_shown(study, building.export(study.pk, pk)))


class DownloadView(ApiView):
    """An export's file."""

    scopes = {"GET": "results:read"}

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, slug: str, pk: int) -> FileResponse:
        """Download the ZIP; 409 `not_done` before it is written, 410 once newer exports have taken its place.

        An export that has words of black-box texts is refused with 403 `not_allowed` if you may not change the study.
        """
        study = of_study(request, slug, Capability.EXPORT)
        row = building.export(study.pk, pk)
        _refuse(request, study, row.profile)
        if building.has_withheld_words(row, study, request.user):
            raise access.NotAllowed(_("This file has words of black-box texts. Export the data again: yours has none."))
        if row.profile != Profile.PAYMENT and not row.is_blind:
            seeing_scores(request, slug, "export")
        if row.state != jobs.DONE:
            raise Conflict(_("The export is not done."), code="not_done", state=row.state)
        try:
            file = storage.open_file(row.file) if row.file else None
        except FileNotFoundError:
            file = None
        if file is None:
            raise Gone(_("Newer exports have taken this one’s place. Begin another."))
        return FileResponse(
            file, as_attachment=True, filename=f"{study.slug}-{row.pk}.zip", content_type="application/zip"
        )


def _refuse(request: Request, study: Study, profile: str) -> None:
    """Refuse a profile that isn't for this person."""
    if profile == Profile.PAYMENT:
        refuse_people(request, study)
    else:
        access.need(study, request.user, Capability.SEE_STUDY)


def _url(name: str, study: Study, row: Export) -> str:
    return reverse(f"api:{name}", args=[study.slug, row.pk])


def _shown(study: Study, row: Export) -> dict[str, Any]:
    return {
        **job_fields(row, _url("export", study, row)),
        **{name: getattr(row, name) for name in (*KINDS, "created_at", "bytes")},
        "scores_hidden": row.is_blind,
        "download": _url("download", study, row) if row.state == jobs.DONE and row.file else None,
    }

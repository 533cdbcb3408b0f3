"""API of clips and imports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response

from accounts.api import creations
from accounts.api.base import ApiView, sent
from accounts.api.paging import Paged, after, page
from accounts.api.shapes import page_of
from accounts.uploads import queries as uploads_queries
from accounts.uploads import services as uploads_services
from core import clock
from core.nudge import nudge
from studies.api import listing
from studies.api import shapes as api_shapes
from studies.api.studies import CHANGE, IDEMPOTENCY, idempotency_key
from studies.clips import black_box
from studies.clips.models import ClipImport
from studies.definition.models import Study
from studies.imports import changes, requests

if TYPE_CHECKING:
    from rest_framework.request import Request


class ClipsView(ApiView):
    """A study's clips."""

    scopes = {"GET": "studies:read"}
    rights = {"GET": "studies.view_clip"}

    @extend_schema(parameters=[api_shapes.ClipsQuery], responses=page_of(api_shapes.ClipShown))
    def get(self, request: Request, slug: str) -> Response:
        """List clips in the order in which they were added."""
        query = sent(api_shapes.ClipsQuery, request.query_params)
        study = listing.own(request.user, slug)
        withheld = {"withheld": black_box.withheld(study, request.user)}
        rows = listing.clips(
            study,
            {name: query[name] for name in listing.CLIP_FILTERS if name in query},
            withdrawn=query["withdrawn"],
            after=after(query),
            limit=query["limit"] + 1,
        )
        # One for all rows: to make one costs eight times what it does for a row.
        shape = api_shapes.ClipShown(context=withheld)
        return page(request, query, rows, lambda clip: clip.pk, shape.to_representation)


class ClipView(ApiView):
    """One clip."""

    scopes = {"GET": "studies:read"}
    rights = {"GET": "studies.view_clip"}

    @extend_schema(responses=api_shapes.ClipShown)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Show a clip."""
        study = listing.own(request.user, slug)
        withheld = {"withheld": black_box.withheld(study, request.user)}
        return Response(api_shapes.ClipShown(listing.clip(study, pk), context=withheld).data)


class WithdrawView(ApiView):
    """Take a clip out."""

    scopes = {"POST": "studies:write"}
    rights = {"POST": "studies.change_clip"}

    @extend_schema(request=None, responses=api_shapes.ClipShown)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Serve this clip to nobody from now on; what was answered stays."""
        study = listing.own(request.user, slug, CHANGE)
        changes.withdraw(clips=[listing.clip(study, pk).pk], now=clock.now())
        return Response(api_shapes.ClipShown(listing.clip(study, pk)).data)


class RestoreView(ApiView):
    """Take a clip back in."""

    scopes = {"POST": "studies:write"}
    rights = {"POST": "studies.change_clip"}

    @extend_schema(request=None, responses=api_shapes.ClipShown)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Serve a withdrawn clip again."""
        study = listing.own(request.user, slug, CHANGE)
        changes.restore(clips=[listing.clip(study, pk).pk], now=clock.now())
        return Response(api_shapes.ClipShown(listing.clip(study, pk)).data)


class ImportsView(ApiView):
    """A study's imports."""

    scopes = {"GET": "studies:read", "POST": "studies:write"}
    rights = {"GET": "studies.view_study", "POST": "studies.change_study"}
    parser_classes = (MultiPartParser,)

    @extend_schema(parameters=[Paged], responses=page_of(api_shapes.ImportRow))
    def get(self, request: Request, slug: str) -> Response:
        """List imports, newest first."""
        query = sent(Paged, request.query_params)
        study = listing.own(request.user, slug)
        rows = listing.imports(study, after=after(query), limit=query["limit"] + 1)
        return page(request, query, rows, lambda job: job.pk, lambda job: api_shapes.import_row(study, job))

    @extend_schema(
        parameters=[IDEMPOTENCY],
        request={"multipart/form-data": api_shapes.NewImport},
        responses={202: api_shapes.ImportShown, 200: api_shapes.ImportShown},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Bring in the clips that a manifest names: all of them, or none.

        A worker does it: ask `url` until `state` is done, then see `accepted` and `errors`. A request sent again with
        the same Idempotency-Key answers 200 with the import that it began.
        """
        study = listing.own(request.user, slug, CHANGE)
        data = sent(api_shapes.NewImport, request.data)
        key, person = idempotency_key(request), _person(request)
        user = person.pk
        if key:
            began = creations.begin(user_id=user, key=key, digest=_digest(study, data), now=clock.now())
            if began:
                return Response(api_shapes.import_shown(study, listing.clip_import(study, int(began))))
        try:
            job = _request(study, person, data)
        except BaseException:
            creations.forget(user_id=user, key=key)
            raise
        creations.finish(user_id=user, key=key, made=str(job.pk))
        nudge(job.task_name, job.pk)
        headers = {"Location": reverse("api:import", args=[study.slug, job.pk])}
        return Response(api_shapes.import_shown(study, job), status=202, headers=headers)


class ImportView(ApiView):
    """One import."""

    scopes = {"GET": "studies:read"}
    rights = {"GET": "studies.view_study"}

    @extend_schema(responses=api_shapes.ImportShown)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Say how far an import is, and at its end what was refused, by row and column."""
        study = listing.own(request.user, slug)
        return Response(api_shapes.import_shown(study, listing.clip_import(study, pk)))


def _person(request: Request) -> Any:
    return request.user


def _request(study: Study, user: Any, data: dict[str, Any]) -> ClipImport:
    """Queue the import, with the archive that came along or with the one uploaded before."""
    manifest = data["manifest"]
    common: dict[str, Any] = {
        "study": study,
        "user": user,
        "manifest": manifest,
        "manifest_name": manifest.name,
        "questions": data.get("questions"),
        "golden": data.get("golden"),
        "choices": requests.Choices(
            leaves_out=data["leave_out_bad"],
            skips_known=data["skip_known"],
            replaces_known=data["replace_known"],
            keeps_declared=data["keep_declared"],
        ),
        "now": clock.now(),
    }
    if "archive" in data:
        return requests.request_import(archive=data["archive"], archive_name=data["archive"].name, **common)
    upload = uploads_queries.upload(user.pk, data["upload"])
    uploads_services.finish(upload=upload)
    return requests.request_import(archive=None, archive_name=upload.name, upload=upload, **common)


def _digest(study: Study, data: dict[str, Any]) -> str:
    """Return a hash of everything that was sent."""
    names = ("upload", "leave_out_bad", "skip_known", "replace_known", "keep_declared")
    choices = {name: data[name] for name in names if data.get(name)}
    files = {
        name: creations.digest_of_file(data[name])
        for name in ("manifest", "archive", "questions", "golden")
        if name in data
    }
    return creations.digest_of("import", study.slug, files, choices)

"""API of studies: list, create, change, check, and change their state."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.response import Response

from accounts.api import creations
from accounts.api.base import ApiView, sent
from accounts.api.paging import after, page
from accounts.api.shapes import page_of
from core import clock, rng
from core.errors import Conflict, Invalid
from studies.api import listing
from studies.api import shapes as api_shapes
from studies.definition import presets
from studies.definition import queries as definition_queries
from studies.definition.models import Study
from studies.definition.queries import newest
from studies.launch import archiving, checks, saved_presets, states
from studies.members.pages import record
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words
    from rest_framework.request import Request

CHANGE = Capability.CHANGE_STUDY
IDEMPOTENCY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="Sent again with the same key and body, the request makes nothing twice; up to 200 characters.",
)


class PresetsView(ApiView):
    """What a study can be made from."""

    scopes = {"GET": "studies:read"}

    @extend_schema(responses=api_shapes.PresetShown(many=True))
    def get(self, request: Request) -> Response:
        """List the presets with every setting and its default."""
        shapes = [
            {
                "name": name,
                "label": str(presets.get(name).label),
                "summary": str(presets.get(name).summary),
                "settings": presets.get(name).definition.model_dump(mode="json"),
            }
            for name, _label in presets.choices()
        ]
        shapes += [
            {"name": each.slug, "label": each.name, "summary": each.description, "settings": each.definition}
            for each in saved_presets.listed()
        ]
        return Response(shapes)


class StudiesView(ApiView):
    """One's studies."""

    scopes = {"GET": "studies:read", "POST": "studies:write"}
    rights = {"GET": "studies.view_study", "POST": "studies.add_study"}

    @extend_schema(parameters=[api_shapes.StudiesQuery], responses=page_of(api_shapes.StudyRow))
    def get(self, request: Request) -> Response:
        """List the studies that the token's owner may see, newest first."""
        query = sent(api_shapes.StudiesQuery, request.query_params)
        rows = listing.studies(
            request.user,
            after=after(query),
            limit=query["limit"] + 1,
            state=query.get("state", ""),
            archived=query["archived"],
        )
        return page(request, query, rows, lambda study: study.pk, api_shapes.study_row)

    @extend_schema(
        parameters=[IDEMPOTENCY],
        request=api_shapes.NewStudy,
        responses={201: api_shapes.StudyShown, 200: api_shapes.StudyShown},
    )
    def post(self, request: Request) -> Response:
        """Make a draft from a preset.

        The same request again answers 200 with the same study; another body under the same slug or key is refused
        with 409.
        """
        data = sent(api_shapes.NewStudy, request.data)
        key = idempotency_key(request) or f"study:{data['slug']}"
        # As requests of clients were that say nothing of a language.
        body = {name: value for name, value in data.items() if (name, value) != ("language", "en")}
        digest = creations.digest_of("study", body)
        user: Any = request.user
        with transaction.atomic():
            existing = creations.begin(user_id=user.pk, key=key, digest=digest, now=clock.now())
            if existing:
                return Response(shown(listing.own(user, existing)))
            study = _create(user, data)
            creations.finish(user_id=user.pk, key=key, made=study.slug)
        headers = {"Location": reverse("api:study", args=[study.slug])}
        return Response(shown(study), status=201, headers=headers)


class StudyView(ApiView):
    """One study."""

    scopes = {"GET": "studies:read", "PATCH": "studies:write"}
    rights = {"GET": "studies.view_study", "PATCH": "studies.change_study"}

    @extend_schema(responses=api_shapes.StudyShown)
    def get(self, request: Request, slug: str) -> Response:
        """Show a study with its draft."""
        return Response(shown(listing.own(request.user, slug)))

    @extend_schema(request=api_shapes.Changes, responses=api_shapes.StudyShown)
    def patch(self, request: Request, slug: str) -> Response:
        """Change settings of the draft; raters meet them once they are launched or published."""
        data = sent(api_shapes.Changes, request.data)
        changes = data.pop("settings", {})
        study = states.change_settings(study=listing.own(request.user, slug, CHANGE), changes=changes, **data)
        if changes:
            states.note_design(study, clock.now())
        return Response(shown(study))


class ValidateView(ApiView):
    """What a launch would say."""

    scopes = {"POST": "studies:read"}
    rights = {"POST": "studies.view_study"}

    @extend_schema(request=api_shapes.Trial, responses=api_shapes.LaunchReportShown)
    def post(self, request: Request, slug: str) -> Response:
        """Check the draft, or the draft with some settings changed, without changing anything.

        Settings that are no settings are refused with 422, each by name.
        """
        data = sent(api_shapes.Trial, request.data)
        study = listing.own(request.user, slug)
        study.draft = states.tried(study=study, changes=data.get("settings", {})).model_dump(mode="json")
        findings = checks.findings(study)
        return Response(
            {
                "launchable": all(finding.level != "blocking" for finding in findings),
                "findings": [{"level": finding.level, "message": finding.message} for finding in findings],
            }
        )


class MoveView(ApiView):
    """Launch, publish, pause, resume, close, reopen: made by `moves`, one class each."""

    scopes = {"POST": "studies:write"}
    rights = {"POST": "studies.change_study"}
    move: ClassVar[Callable[[Study], Any]]
    needs: ClassVar[Capability]
    # What the study's history says of it; empty: nothing.
    history: ClassVar[Words] = ""

    def go(self, request: Request, slug: str) -> Response:
        """Take the study a step on."""
        study = listing.own(request.user, slug, self.needs)
        type(self).move(study)
        if self.history:
            user: Any = request.user
            record(user, study, str(self.history))
        return Response(shown(listing.own(request.user, slug)))


MOVES: dict[str, tuple[str, Callable[[Study], Any]]] = {
    "launch": (
        "Launch: freeze the draft as version 1 and let raters in.\n\nWhat blocks is refused with 409 `launch_blocked`.",
        lambda study: states.launch(study=study, now=clock.now(), rng=rng.fresh()),
    ),
    "publish": (
        "Freeze the changed draft as the next version; sessions under way keep theirs.",
        lambda study: states.publish(study=study, now=clock.now()),
    ),
    "pause": ("Let no new rater begin.", lambda study: states.pause(study=study)),
    "resume": ("Let raters begin again.", lambda study: states.resume(study=study)),
    "close": ("End collection.", lambda study: states.close(study=study)),
    "reopen": ("Take a closed study up again, paused.", lambda study: states.reopen(study=study)),
    "archive": (
        "Leave a draft or a closed study out of the lists. Others are refused with 409 `wrong_state`.",
        lambda study: archiving.archive(study=study, now=clock.now()),
    ),
    "unarchive": ("Put an archived study back into the lists.", lambda study: archiving.unarchive(study=study)),
}


HISTORY = {"archive": gettext_lazy("The study was archived."), "unarchive": gettext_lazy("The study was unarchived.")}
CLOSING = {"close", "reopen", "archive", "unarchive"}


def moves() -> dict[str, type[MoveView]]:
    """Return a view for each step; each has a description of its own."""
    views = {}
    for name, (says, move) in MOVES.items():

        def post(self: MoveView, request: Request, slug: str) -> Response:
            return self.go(request, slug)

        post.__doc__ = says
        described = extend_schema(request=None, responses=api_shapes.StudyShown)(post)
        needs = Capability.CLOSE_STUDY if name in CLOSING else CHANGE
        body = {"move": staticmethod(move), "needs": needs, "post": described, "__doc__": says.partition("\n")[0]}
        body["history"] = HISTORY.get(name, "")
        views[name] = type(f"{name.capitalize()}View", (MoveView,), body)
    return views


class VersionsView(ApiView):
    """A study's versions."""

    scopes = {"GET": "studies:read"}
    rights = {"GET": "studies.view_study"}

    @extend_schema(responses=api_shapes.VersionRow(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the frozen versions in order."""
        study = listing.own(request.user, slug)
        return Response([api_shapes.version_row(study, each) for each in definition_queries.versions(study.pk)])


class VersionView(ApiView):
    """One version."""

    scopes = {"GET": "studies:read"}
    rights = {"GET": "studies.view_study"}

    @extend_schema(responses=api_shapes.VersionShown)
    def get(self, request: Request, slug: str, number: int) -> Response:
        """Show a version as raters met it."""
        study = listing.own(request.user, slug)
        row = listing.version(study, number)
        return Response({**api_shapes.version_row(study, row), "settings": row.definition})


def idempotency_key(request: Request) -> str:
    """Return the key that the request carries, if any; raises `Invalid`."""
    key = request.headers.get("Idempotency-Key", "")
    if len(key) > 200 or not key.isprintable():
        raise Invalid(_("The Idempotency-Key may have up to 200 printable characters."), code="bad_key")
    return f"key:{key}" if key else ""


def _create(user: Any, data: dict[str, Any]) -> Study:
    try:
        return states.create_study(
            slug=data["slug"],
            title=data["title"],
            preset=data["preset"],
            language=data["language"],
            owner=user,
            changes=data.get("settings", {}),
            now=clock.now(),
        )
    except Invalid as error:
        if "slug" in error.problems and not states.slug_problem(data["slug"]):
            raise Conflict(error.problems["slug"], code="slug_taken") from error
        raise


def shown(study: Study) -> dict[str, Any]:
    version = newest(study)
    return {
        **api_shapes.study_row(study),
        "notice": study.notice,
        "remark": study.remark,
        "version": version.number if version else None,
        "has_changes": version is not None and states.has_changes(study, version),
        "settings": study.draft,
    }

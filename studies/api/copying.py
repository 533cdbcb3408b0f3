"""API of duplicates of studies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from accounts.api import creations
from accounts.api.base import ApiView, sent
from core import clock
from core.errors import Conflict, Invalid
from studies.api import listing
from studies.api import shapes as api_shapes
from studies.api.studies import CHANGE, IDEMPOTENCY, idempotency_key, shown
from studies.launch import states
from studies.launch.duplicating import duplicate
from studies.members.pages import record

if TYPE_CHECKING:
    from rest_framework.request import Request

    from studies.definition.models import Study


class DuplicateView(ApiView):
    """A study made from another one."""

    scopes = {"POST": "studies:write"}
    rights = {"POST": "studies.add_study"}

    @extend_schema(
        parameters=[IDEMPOTENCY],
        request=api_shapes.Copy,
        responses={201: api_shapes.StudyShown, 200: api_shapes.StudyShown},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make a draft with the settings, texts, questions and clips of a study, without people and answers.

        The same request again answers 200 with the same study; another body under the same slug or key is refused
        with 409.
        """
        study = listing.own(request.user, slug, CHANGE)
        data = sent(api_shapes.Copy, request.data)
        key = idempotency_key(request) or f"study:{data['slug']}"
        user: Any = request.user
        with transaction.atomic():
            digest = creations.digest_of(f"duplicate:{study.pk}", data)
            existing = creations.begin(user_id=user.pk, key=key, digest=digest, now=clock.now())
            if existing:
                return Response(shown(listing.own(user, existing)))
            copy = _duplicated(study, user, data)
            creations.finish(user_id=user.pk, key=key, made=copy.slug)
            record(user, copy, _("Copied from {slug}.").format(slug=study.slug))
            record(user, study, _("Duplicated as {slug}.").format(slug=copy.slug))
        return Response(shown(copy), status=201, headers={"Location": reverse("api:study", args=[copy.slug])})


def _duplicated(study: Study, user: Any, data: dict[str, Any]) -> Study:
    try:
        return duplicate(study=study, owner=user, now=clock.now(), **data)
    except Invalid as error:
        if "slug" in error.problems and not states.slug_problem(data["slug"]):
            raise Conflict(error.problems["slug"], code="slug_taken") from error
        raise

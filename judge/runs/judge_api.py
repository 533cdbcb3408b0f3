"""Who answers at the judge's address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.api.shapes import Base
from analysis.data.api_access import of_study
from judge.runs.judge_status import JudgeStatus, State, judge_status

if TYPE_CHECKING:
    from rest_framework.request import Request

    from studies.definition.models import Study

MODEL = ("engine", "weights_sha256", "adapter_sha256", "dtype", "device")


class JudgeLabel(Base):
    """One answer that the judge may give, and what it counts."""

    text = serializers.CharField()
    weight = serializers.FloatField()
    token_id = serializers.IntegerField()


class JudgeProfile(Base):
    """One way to ask."""

    name = serializers.CharField()
    version = serializers.IntegerField()
    sha256 = serializers.CharField()
    title = serializers.CharField(allow_blank=True)
    languages = serializers.ListField(child=serializers.CharField(), help_text="Empty: any.")
    labels = JudgeLabel(many=True)


class JudgeShown(Base):
    """Who answers; what only an answer can tell is empty unless `state` is `there`."""

    configured = serializers.BooleanField(help_text="Whether the server's settings name a judge.")
    state = serializers.ChoiceField(
        choices=get_args(State),
        help_text="`none`: none is set up; `down`: no answer now; `wrong`: set up wrongly; `there`: it answers.",
    )
    message = serializers.CharField(allow_blank=True, help_text="What is the matter, for people.")
    engine = serializers.CharField(allow_blank=True)
    weights_sha256 = serializers.CharField(allow_blank=True)
    adapter_sha256 = serializers.CharField(allow_blank=True)
    dtype = serializers.CharField(allow_blank=True)
    device = serializers.CharField(allow_blank=True)
    profiles = JudgeProfile(many=True)
    usual_profile = serializers.CharField(allow_blank=True, help_text="What a run is made with unless it names one.")
    trained_on = serializers.IntegerField(help_text="How many of the study's clips it met in its training.")
    runs = serializers.CharField(help_text="Where its runs are.")


class JudgeView(ApiView):
    """The judge, as a study meets it."""

    scopes = {"GET": "results:read"}

    @extend_schema(responses=JudgeShown)
    def get(self, request: Request, slug: str) -> Response:
        """Ask the judge who it is, for a few seconds at most."""
        study = of_study(request, slug)
        return Response(_shown(study, judge_status(study.pk)))


def _shown(study: Study, who: JudgeStatus) -> dict[str, Any]:
    info = who.info
    fields = info.model_dump(mode="json", include={*MODEL, "profiles"}) if info else {"profiles": []}
    first = info.profile(who.usual) if info else None
    return {
        "configured": who.state != "none",
        "state": who.state,
        "message": who.trouble,
        **dict.fromkeys(MODEL, ""),
        **fields,
        "usual_profile": first.name if first else who.usual,
        "trained_on": who.seen,
        "runs": reverse("api:judge_runs", args=[study.slug]),
    }

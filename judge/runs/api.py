"""API of the judge: its status; start, watch and stop runs, and read their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from django.db import transaction
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from accounts.api import creations
from accounts.api.base import ApiView, sent
from accounts.api.paging import Paged, after, page
from accounts.api.shapes import Base, JobState, Strict, job_fields, page_of
from analysis.data.api_access import of_study
from core import clock
from core.nudge import nudge
from judge.runs import queries, run_jobs
from judge.runs.judge_status import JudgeStatus, State, judge_status, profile_for
from judge.runs.models import JudgeRun
from studies.api.studies import IDEMPOTENCY, idempotency_key

if TYPE_CHECKING:
    from rest_framework.request import Request

    from studies.definition.models import Study

SHOWN = 200
MODEL = ("engine", "weights_sha256", "adapter_sha256", "dtype", "device")


class NewJudgeRun(Strict):
    """How to ask."""

    profile = serializers.CharField(
        max_length=200,
        allow_blank=True,
        default="",
        help_text="One of the judge's profiles; empty: the usual one. A run whose profile the judge lacks fails.",
    )


class RefusedClip(Base):
    """A clip without a score."""

    clip = serializers.IntegerField(help_text="The clip's id.")
    file = serializers.CharField()
    code = serializers.CharField(allow_blank=True)
    message = serializers.CharField(allow_blank=True, help_text="Why, for people.")
    advice = serializers.CharField(help_text="What can be done.")


class JudgeRunRow(JobState):
    """A run in a list."""

    profile = serializers.CharField(allow_blank=True, help_text="As asked for; empty: the judge's first.")
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    cancelled_at = serializers.DateTimeField(allow_null=True)
    done = serializers.IntegerField(help_text="Clips that have a score or were refused.")
    total = serializers.IntegerField(help_text="All clips; 0 until a worker begins.")
    waits_for = serializers.CharField(allow_blank=True, help_text="Why it doesn't go on at the moment.")
    metric = serializers.IntegerField(allow_null=True, help_text="The metric that its scores are; null: none yet.")
    scores = serializers.CharField(help_text="Where its scores are.")


class JudgeRunShown(JudgeRunRow):
    """A run with what came of it so far."""

    asked = serializers.IntegerField(help_text="Sounds that the judge heard; what it scored before isn't asked again.")
    origin = serializers.DictField(help_text="All that its scores depend on beside the clips; empty until it begins.")
    scored = serializers.IntegerField()
    failed = serializers.IntegerField()
    refused = RefusedClip(many=True, help_text=f"The first {SHOWN}; `scores` with `failed=true` lists all.")


class JudgeRunsView(ApiView):
    """A study's runs of the judge."""

    scopes = {"GET": "results:read", "POST": "results:write"}

    @extend_schema(parameters=[Paged], responses=page_of(JudgeRunRow))
    def get(self, request: Request, slug: str) -> Response:
        """List runs of the judge, newest first."""
        query, study = sent(Paged, request.query_params), of_study(request, slug)
        rows = queries.runs(study.pk, query["limit"] + 1, after=after(query))
        return page(request, query, rows, lambda row: row.pk, lambda row: _row(study, row))

    @extend_schema(parameters=[IDEMPOTENCY], request=NewJudgeRun, responses={202: JudgeRunShown, 200: JudgeRunShown})
    def post(self, request: Request, slug: str) -> Response:
        """Let the judge listen to every clip that isn't withdrawn.

        A run with the same profile that is still on its way is returned instead of a second. A request sent again with
        the same Idempotency-Key answers 200 with the run that it began. Without a judge it is refused with 409
        `no_judge`; one that doesn't answer is waited for.
        """
        data, study = sent(NewJudgeRun, request.data), of_study(request, slug)
        key, digest = idempotency_key(request), creations.digest_of("judge run", study.slug, data)
        user: Any = request.user
        with transaction.atomic():
            known_run = creations.begin(user_id=user.pk, key=key, digest=digest, now=clock.now()) if key else ""
            if known_run:
                return Response(_shown(study, queries.run(study.pk, int(known_run))))
            profile = profile_for(data["profile"])
            row = run_jobs.request_run(study_id=study.pk, profile=profile, user=user, now=clock.now())
            creations.finish(user_id=user.pk, key=key, made=str(row.pk))
        nudge(row.task_name, row.pk)
        return Response(_shown(study, row), status=202, headers={"Location": _url("judge_run", study, row)})


class JudgeRunView(ApiView):
    """One run of the judge."""

    scopes = {"GET": "results:read"}

    @extend_schema(responses=JudgeRunShown)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Say how far a run is, and which clips the judge refused."""
        study = of_study(request, slug)
        return Response(_shown(study, queries.run(study.pk, pk)))


class CancelJudgeRunView(ApiView):
    """Stop a run of the judge."""

    scopes = {"POST": "results:write"}

    @extend_schema(request=None, responses=JudgeRunShown)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Stop a run; what was scored is kept. 409 `over` when it has ended already."""
        study = of_study(request, slug)
        run_jobs.cancel(run=queries.run(study.pk, pk), now=clock.now())
        return Response(_shown(study, queries.run(study.pk, pk)))


def _url(name: str, study: Study, row: JudgeRun) -> str:
    return reverse(f"api:{name}", args=[study.slug, row.pk])


def _row(study: Study, row: JudgeRun) -> dict[str, Any]:
    names = ("profile", "created_at", "ended_at", "cancelled_at", "done", "total", "waits_for")
    return {
        **job_fields(row, _url("judge_run", study, row)),
        **{name: getattr(row, name) for name in names},
        "metric": row.metric_set_id,
        "scores": _url("judge_scores", study, row),
    }


def _shown(study: Study, row: JudgeRun) -> dict[str, Any]:
    counts = queries.run_counts(row)
    return {
        **_row(study, row),
        "asked": row.asked,
        "origin": row.origin,
        "scored": counts.scored,
        "failed": counts.failed,
        "refused": [
            {"clip": clip, "file": file, "code": code, "message": message, "advice": queries.advice(code)}
            for clip, file, _value, code, message, _warnings in queries.scores(row, failed=True, limit=SHOWN)
        ],
    }


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
        query, study = sent(ScoresQuery, request.query_params), of_study(request, slug)
        run = queries.run(study.pk, pk)
        rows = queries.scores(run, failed=query["failed"], after=after(query), limit=query["limit"] + 1)
        return page(request, query, rows, lambda row: row.clip, lambda row: row._asdict())


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
        return Response(_judge_shown(study, judge_status(study.pk)))


def _judge_shown(study: Study, who: JudgeStatus) -> dict[str, Any]:
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

"""API of what is known before a launch: the stimulus audit, and the raters, minutes and pay that a launch takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.api.shapes import Base
from core import clock
from core.errors import Conflict
from studies.api import listing
from studies.audit import measuring, overview
from studies.audit.findings import with_accepted
from studies.launch import plan as plans
from studies.launch.effort import effort
from studies.rules.roles import Capability
from studies.summaries import services as summaries

if TYPE_CHECKING:
    from rest_framework.request import Request

    from studies.definition.models import Study


class AuditFindingShown(Base):
    """A difference between systems that listeners could use, or a fault of clips."""

    level = serializers.ChoiceField(choices=["blocking", "warning", "accepted"])
    key = serializers.CharField(help_text="Names the difference and the systems or clips.")
    text = serializers.CharField()
    why = serializers.CharField()
    repair = serializers.CharField(allow_blank=True, help_text="The repair on the page Audit that can fix it.")


class AuditShown(Base):
    """The audit of a study's clips."""

    state = serializers.ChoiceField(choices=["none", "queued", "running", "done", "failed"])
    error = serializers.CharField(allow_blank=True, help_text="Why it failed; empty otherwise.")
    measured = serializers.IntegerField(help_text="How many clips are measured.")
    total = serializers.IntegerField(help_text="How many clips there are.")
    findings = AuditFindingShown(many=True, allow_null=True, help_text="Null: being computed, ask again.")
    url = serializers.CharField()


class CostShown(Base):
    """What a launch takes, without people who are screened out or excluded. Null: the settings don't say."""

    raters = serializers.IntegerField(help_text="The fewest that can give all ratings.")
    minutes = serializers.IntegerField(help_text="Of a session: as set, or as proposed.")
    listening_seconds = serializers.FloatField(help_text="How long the clips of a complete session last.")
    currency = serializers.CharField()
    pay = serializers.FloatField(allow_null=True, help_text="Of a complete session, without the bonus.")
    bonus = serializers.FloatField()
    pay_per_hour = serializers.FloatField(allow_null=True)
    least_per_hour = serializers.FloatField(allow_null=True, help_text="The lowest that the settings accept.")
    total = serializers.FloatField(allow_null=True, help_text="Of all raters.")
    fee_percent = serializers.FloatField(allow_null=True, help_text="The platform's.")
    total_with_fee = serializers.FloatField(allow_null=True)


class AuditView(ApiView):
    """The stimulus audit."""

    scopes = {"GET": "studies:read", "POST": "studies:write"}
    rights = {"GET": "studies.view_study", "POST": "studies.change_study"}

    @extend_schema(responses=AuditShown)
    def get(self, request: Request, slug: str) -> Response:
        """Read the audit. Every import starts one, so that a draft needs no POST."""
        return Response(_audit(listing.own(request.user, slug)))

    @extend_schema(request=None, responses={202: AuditShown})
    def post(self, request: Request, slug: str) -> Response:
        """Measure the clips that are not measured yet or could not be read. Once at a time."""
        study = listing.own(request.user, slug, Capability.CHANGE_STUDY)
        measuring.measure_again(study, clock.now())
        return Response(_audit(study), status=202)


class CostView(ApiView):
    """What a launch takes."""

    scopes = {"GET": "studies:read"}
    rights = {"GET": "studies.view_study"}

    @extend_schema(responses=CostShown)
    def get(self, request: Request, slug: str) -> Response:
        """Return raters, minutes and pay of the draft; 409 `not_done` while a worker counts a large study."""
        study = listing.own(request.user, slug)
        plan, _stored = plans.shown_plan(study, study.definition, clock.now())
        if plan is None:
            raise Conflict(_("A worker is counting the clips. Ask again in a few seconds."), code="not_done")
        found = effort(plan)
        return Response(
            {
                "raters": found.raters,
                "minutes": found.minutes or found.proposed,
                "listening_seconds": found.listening,
                "currency": found.currency,
                "pay": found.each,
                "bonus": found.bonus,
                "pay_per_hour": found.hourly,
                "least_per_hour": found.least,
                "total": found.total,
                "fee_percent": found.fee_percent,
                "total_with_fee": found.with_fee,
            }
        )


def _audit(study: Study) -> dict[str, Any]:
    job = measuring.newest(study)
    measured, total = measuring.progress(study)
    whole = summaries.summary(overview.SUMMARY, study, now=clock.now()).value
    findings = None if whole is None else with_accepted(study, whole.found)
    return {
        "state": job.state if job else "none",
        "error": job.error if job else "",
        "measured": measured,
        "total": total,
        "findings": None
        if findings is None
        else [
            {
                "level": "accepted" if each.accepted else each.level,
                "key": each.key,
                "text": each.text,
                "why": each.why,
                "repair": each.repair,
            }
            for each in findings
        ],
        "url": reverse("api:audit", args=[study.slug]),
    }

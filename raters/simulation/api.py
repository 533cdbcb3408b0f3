"""API of simulated raters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from accounts.api.base import ApiView, sent
from accounts.api.shapes import JobState, Strict, job_fields
from core import clock
from raters.simulation import runs
from studies.api import listing
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from rest_framework.request import Request

    from raters.simulation.models import Simulation


class NewSimulation(Strict):
    """Simulated raters to send into a study."""

    raters = serializers.IntegerField(min_value=1, max_value=runs.MOST_RATERS)
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=1, help_text="Another one: other people.")


class SimulationsView(ApiView):
    """Simulated raters."""

    scopes = {"POST": "studies:write"}
    rights = {"POST": "studies.change_study"}

    @extend_schema(request=NewSimulation, responses={202: JobState})
    def post(self, request: Request, slug: str) -> Response:
        """Send simulated raters into a live study, to try the rest of the way.

        They take no real rater's place, and are in no figure or export that doesn't ask for them. The same seed
        simulates the same people: those who took part already don't come again.
        """
        study = listing.own(request.user, slug, Capability.CHANGE_STUDY)
        fields = sent(NewSimulation, request.data)
        row = runs.request(study=study, raters=fields["raters"], seed=fields["seed"], now=clock.now())
        url = _url(slug, row)
        return Response(job_fields(row, url), status=202, headers={"Location": url})


class SimulationView(ApiView):
    """One simulation."""

    scopes = {"GET": "studies:read"}
    rights = {"GET": "studies.view_study"}

    @extend_schema(responses=JobState)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Say how far a simulation is."""
        row = runs.of_study(listing.own(request.user, slug).pk, pk)
        return Response(job_fields(row, _url(slug, row)))


def _url(slug: str, row: Simulation) -> str:
    return reverse("api:simulation", args=[slug, row.pk])

"""Results of a pilot, as numbers for the decision to launch."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from django.db.models import Count

from core.jobs import QUEUED
from raters.people.models import Session
from raters.rating import monitor
from raters.rating.models import Trial
from raters.sessions.models import Response

if TYPE_CHECKING:
    from studies.definition.models import Study

COMMENTS = 10


@dataclass(frozen=True, slots=True)
class PilotFigures:
    """Numbers of a pilot's real raters by progress, and their results; `minutes` is None until one finished.

    Raters who finished without a usable rating are excluded. Batches not yet validated exclude no one.
    """

    arrived: int
    finished: int
    wanted: int
    minutes: float | None
    traps: int
    traps_passed: int
    excluded: int
    comments: list[str]


def figures(pilot: Study) -> PilotFigures:
    """Return the figures of one pilot; seven SELECTs."""
    sessions = monitor.sessions_of(pilot.pk, False)
    flow = monitor.flow(pilot.pk, False)
    minutes = monitor.minutes(pilot.pk, False)
    batches = list(monitor.batches_of(pilot.pk, False).values_list("session", "state", "trap_counts"))
    undecided = {session for session, state, _counts in batches if state == QUEUED}
    usable = Trial.objects.filter(session__in=sessions, usable=True).values("session")
    complete = sessions.filter(outcome=Session.Outcome.COMPLETE)
    comments = Response.objects.filter(session__in=sessions).exclude(words="").order_by("-at")
    counts = [counts for _session, _state, counts in batches]
    return PilotFigures(
        arrived=flow["arrived"],
        finished=flow["complete"],
        wanted=pilot.pilot_raters or 0,
        minutes=round(median(minutes), 1) if minutes else None,
        traps=sum(each.get("flawed", 0) + each.get("humans", 0) for each in counts),
        traps_passed=sum(each.get("flawed_right", 0) + each.get("human_right", 0) for each in counts),
        excluded=complete.exclude(pk__in=usable).exclude(pk__in=undecided).count(),
        comments=list(comments.values_list("words", flat=True)[:COMMENTS]),
    )


def finished(pilots: Collection[int]) -> dict[int, int]:
    """Return {pilot: number of real raters who finished}; one SELECT."""
    rows = Session.objects.filter(study__in=pilots, simulated=False, outcome=Session.Outcome.COMPLETE)
    return dict(rows.order_by().values_list("study").annotate(number=Count("pk")))

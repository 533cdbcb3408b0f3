"""The pilots of a study: their panel, and their start, end and deletion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from analysis.data import hiding
from core import clock, rng
from core.errors import DomainError, Invalid
from core.web import client_input
from raters.payments import submissions
from raters.pilots import queries, services
from studies.launch import pilots
from studies.members import access
from studies.members.pages import for_capability, log_change, of_study
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from studies.definition.models import Study


@dataclass(frozen=True, slots=True)
class PilotRow:
    """A pilot as the panel shows it to one person; `comments` are empty for whoever may not see answers."""

    pilot: Study
    figures: queries.PilotFigures
    comments: list[str]
    pages: frozenset[Capability]
    unpaid: int


def panel(study: Study, user: Any) -> dict[str, Any]:
    """Return the context of the panel on a study's pages."""
    every = pilots.of_study(study)
    unpaid = submissions.awaiting_review([pilot.pk for pilot in every]) if every else {}
    return {
        "study": study,
        "has_ended": any(pilot.state == pilot.State.CLOSED for pilot in every),
        "rows": [_row(pilot, user, unpaid.get(pilot.pk, 0)) for pilot in every],
        "may_change": access.may(study, user, Capability.CHANGE_STUDY),
        "may_delete": access.may(study, user, Capability.CLOSE_STUDY),
        "usual": pilots.USUAL_RATERS,
        "most": pilots.MOST_RATERS,
    }


def _row(pilot: Study, user: Any, unpaid: int) -> PilotRow:
    figures = queries.figures(pilot)
    is_hidden = hiding.is_hiding(pilot) or hiding.is_withheld(pilot, user)
    comments = [] if is_hidden else figures.comments
    return PilotRow(pilot, figures, comments, access.allowed(pilot, user), unpaid)


@require_POST
@of_study
def start(request: HttpRequest, study: Study) -> HttpResponse:
    """Open a copy of the draft to some real people."""
    raters = client_input.whole_number(request.POST.get("raters", "")) or 0
    try:
        is_open = request.POST.get("open") == "on"
        pilot = pilots.start(study=study, raters=raters, is_open=is_open, now=clock.now(), rng=rng.fresh())
    except DomainError as error:
        return _refused(request, study, error)
    log_change(
        request,
        study,
        _("Pilot {number} was started for {raters} raters.").format(number=pilot.pilot_number, raters=raters),
    )
    messages.success(request, _("The pilot is live. Give its link to your raters: it is under Recruit."))
    return redirect("workspace:overview", slug=pilot.slug)


@require_POST
@of_study
def end(request: HttpRequest, study: Study) -> HttpResponse:
    """End the pilot that is running."""
    try:
        pilot = pilots.end(study=study)
    except DomainError as error:
        return _refused(request, study, error)
    message = _("Pilot {number} has ended. The study is a draft again.").format(number=pilot.pilot_number)
    log_change(request, study, message)
    messages.success(request, message)
    return redirect("workspace:overview", slug=study.slug)


@require_POST
@for_capability(Capability.CLOSE_STUDY)
def delete(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Delete an ended pilot with all its data."""
    if study.pilot_of is not None:
        raise PermissionDenied
    try:
        services.delete(study=study, number=number, typed=request.POST.get("typed", ""))
    except DomainError as error:
        return _refused(request, study, error)
    message = _("Pilot {number} was deleted with its answers.").format(number=number)
    log_change(request, study, message)
    messages.success(request, message)
    return redirect("workspace:overview", slug=study.slug)


def _refused(request: HttpRequest, study: Study, error: DomainError) -> HttpResponse:
    problems = error.problems.values() if isinstance(error, Invalid) else ()
    messages.error(request, " ".join(str(problem) for problem in problems) or error.message)
    return redirect("workspace:overview", slug=study.slug)

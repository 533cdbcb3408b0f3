"""A study's page, and its figures as they change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from analysis.data import reasons
from analysis.data.access import log_sight
from analysis.data.hiding import is_hiding, scores_are_hidden
from analysis.data.models import Simulated
from analysis.exports import building
from analysis.live import page, result, stored
from analysis.sections import blocks
from core import clock
from core.web.listing import Listing
from raters import sources
from raters.rating import monitor, skipping
from studies.clips import figures as clip_figures
from studies.definition import queries as definition_queries
from studies.members.pages import of_study

if TYPE_CHECKING:
    from studies.definition.models import Study


@require_GET
@never_cache
@of_study
def study(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the whole page."""
    definition = definition_queries.definition(study)
    roles = clip_figures.by_role(study.pk)
    source = sources.get(definition.crowd.source)
    context = {
        "definition": definition,
        "protocol": definition.protocol,
        "kind": definition.kind,
        "versions": definition_queries.versions(study.pk),
        "clips": sum(roles.values()),
        "tests": roles.get("test", 0),
        "rater_link": source.link(settings.BASE_URL, study.slug, definition.crowd),
        "link_advice": source.advice,
        "exports": building.recent_exports(study.pk),
        "failing": skipping.failing(study.pk),
        **figures_of(request, study),
    }
    labels = modes(study.pk, context["figures"])
    context["modes"] = [(mode, label, mode == context["simulated"]) for mode, label in labels.items()]
    return render(request, "analysis/live/study.html", context)


@require_GET
@never_cache
@of_study
def figures(request: HttpRequest, study: Study) -> HttpResponse:
    """Return only the figures, to replace them on the page; an empty response if the page has the latest."""
    context = figures_of(request, study)
    if context["stamp"] and request.GET.get("seen") == context["stamp"]:
        return HttpResponse()
    return render(request, "analysis/live/figures.html", context)


def figures_of(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return the context of the last figures, and request newer ones if they are old."""
    simulated = choice(request, "simulated", Simulated.values, "") or usual(study)
    by = choice(request, "by", list(blocks.BY), "system")
    now = clock.now()
    summary = stored.newest(study, Simulated(simulated), now=now, at_once="refresh" in request.GET)
    is_hidden = scores_are_hidden(study, request.user)
    is_early = not is_hidden and is_hiding(study)
    if is_early:
        log_sight(request, study)
    computed_at = summary.computed_at
    shown = load(request, study, summary.value or {})
    return {
        "study": study,
        "is_hidden": is_hidden,
        "is_early": is_early,
        "admin_page": reverse("studies:design", args=[study.slug]),
        "simulated": simulated,
        "by": by,
        "computed_at": computed_at,
        "is_behind": summary.is_late,
        "has_failed": summary.has_failed,
        "stamp": computed_at.isoformat() if computed_at else "",
        "figures": shown,
        "view": page.view(shown, by, Listing.of(request)) if shown else None,
    }


def usual(study: Study) -> Simulated:
    """Return the sessions to show first: simulated ones only in a closed study that no real rater ever visited."""
    if study.state != study.State.CLOSED or monitor.sessions_of(study.pk, False).exists():
        return Simulated.WITHOUT
    return Simulated.ONLY if monitor.sessions_of(study.pk, True).exists() else Simulated.WITHOUT


def modes(study_id: int, figures: result.Figures | None) -> dict[Simulated, str]:
    """Return the choices of sessions with their labels; test runs have labels of their own without simulated raters.

    Sessions are counted only until there are `figures`, since that takes as long as there are sessions.
    """
    counts = monitor.not_counted(study_id) if figures is None else vars(figures)
    if counts["simulated_sessions"] or not counts["test_runs"]:
        return {mode: str(mode.label) for mode in Simulated}
    return {
        Simulated.WITHOUT: _("without test runs"),
        Simulated.WITH: _("with test runs"),
        Simulated.ONLY: _("test runs only"),
    }


def load(request: HttpRequest, study: Study, value: Mapping[str, Any]) -> result.Figures | None:
    """Return the stored figures that this person may see; None if there are none in the current format."""
    instead = _("(a question about a passage of the black box)")
    return result.load(reasons.figures_for(request.user, study, value, instead))


def choice(request: HttpRequest, name: str, known: list[str], default: str) -> str:
    """Return a query parameter if it is one of the known values."""
    value = request.GET.get(name, "")
    return value if value in known else default

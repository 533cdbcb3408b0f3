"""The list of studies, and the pages of a study that belong to no other app."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from analysis.data.models import Simulated
from analysis.live import page, result, stored
from core import clock
from core.errors import DomainError, Invalid
from core.web.listing import Listing
from raters.people import links
from raters.rating import places, worth_a_look
from raters.sessions import balance
from studies.definition import presets
from studies.launch import pilots, raising
from studies.launch.frame import frame, steps
from studies.members import pages
from studies.members.pages import log_change, of_study, staff
from studies.summaries import services as summaries
from workspace import home as home_page
from workspace import live as live_page
from workspace.frame import next_step

if TYPE_CHECKING:
    from studies.definition.models import Study


@require_GET
@never_cache
@staff
def home(request: HttpRequest) -> HttpResponse:
    """Show what waits for this person, and their studies, each with its progress and its next step."""
    search, chosen = request.GET.get("q", "").strip(), request.GET.get("state", "")
    chosen = chosen if chosen in home_page.FILTERS else ""
    studies, archived = (home_page.studies_of(request.user, archived=is_archived) for is_archived in (False, True))
    with_pilots = [*studies, *pilots.of_studies([study.pk for study in studies])]
    listed = home_page.shown(archived if chosen == home_page.ARCHIVED else studies, chosen, search)
    figures = home_page.read_figures([*with_pilots, *archived])
    context = {
        "search": search,
        "chosen": chosen,
        "filters": home_page.filters(studies, archived, chosen),
        "has_search": bool(search) or len(studies) >= home_page.MANY,
        "has_studies": bool(studies or archived),
        "rows": home_page.rows(listed, request.user, figures),
        "tasks": home_page.tasks(with_pilots, request.user),
        "collecting": home_page.collecting(with_pilots, figures),
        "failing": home_page.failing_parts(),
    }
    return render(request, "workspace/home.html", context)


@require_GET
@never_cache
@staff
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Show where a study stands and what comes next, to everybody who has a role in it."""
    study = pages.known_study(request, slug)
    context = {
        **frame(study),
        "has_pilots": bool(pilots.of_study(study)),
        "origin": home_page.origin_of(study, request.user),
        "steps": steps(study) if study.is_draft else [],
        "preset": _(presets.get(study.draft["preset"]).label),
        "next_step": next_step(study, request.user),
        "tasks": home_page.tasks([] if study.archived_at else [study], request.user),
        "progress": home_page.progress(study, home_page.read_figures([study]).get(study.pk)),
    }
    return render(request, "workspace/overview.html", context)


@require_GET
@never_cache
@of_study
def recruit(request: HttpRequest, study: Study) -> HttpResponse:
    """Show how raters come to a study, and who came."""
    is_full = study.state == study.State.LIVE and bool(places.full([study.pk]))
    context = {"study": study, "link": links.panel(study), "balance": balance.panel(study), "is_full": is_full}
    return render(request, "workspace/recruit.html", context)


@require_GET
@never_cache
@of_study
def live(request: HttpRequest, study: Study) -> HttpResponse:
    """Show how the collection goes, without scores."""
    context = _live(request, study) | worth_a_look.panel(study, request.GET.get("look"))
    return render(request, "workspace/live.html", context | _more(study, context["figures"]))


@require_GET
@never_cache
@of_study
def live_figures(request: HttpRequest, study: Study) -> HttpResponse:
    """Return only the figures of the live page; nothing when they are those it has."""
    context = _live(request, study)
    if context["stamp"] and request.GET.get("seen") == context["stamp"]:
        return HttpResponse()
    return render(request, "workspace/live_figures.html", context | _more(study, context["figures"]))


@require_POST
@of_study
def raise_ratings(request: HttpRequest, study: Study) -> HttpResponse:
    """Raise the number of ratings wanted, and log it in the study's history."""
    try:
        number = int(request.POST.get("wanted", ""))
    except ValueError:
        number = 0
    try:
        version = raising.raise_ratings(study=study, wanted=number, now=clock.now())
    except DomainError as error:
        problems = error.problems.values() if isinstance(error, Invalid) else ()
        messages.error(request, " ".join(problems) or error.message)
        return redirect("workspace:live", slug=study.slug)
    message = _("Version {number} is published: each test clip now wants {wanted} ratings.").format(
        number=version.number, wanted=number
    )
    log_change(request, study, message)
    messages.success(request, message)
    return redirect("workspace:live", slug=study.slug)


def _more(study: Study, figures: result.Figures | None) -> dict[str, Any]:
    """Return what the Live page reads of all sessions; nothing before there are figures."""
    if figures is None:
        return {}
    now = clock.now()
    shown = summaries.summary(live_page.COLLECTED, study, now=now)
    if shown.value is None:
        return {"shown": shown}
    remaining = live_page.remaining(study, figures, shown.value.recent, now)
    return {"shown": shown, "collected": shown.value, "remaining": remaining}


def _live(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return the last figures of real raters, asking for newer ones when they are old."""
    summary = stored.newest(study, Simulated.WITHOUT, now=clock.now(), at_once="refresh" in request.GET)
    computed_at = summary.computed_at
    shown = result.load(summary.value or {})
    return {
        "study": study,
        "wanted_now": study.definition.protocol.ratings_wanted,
        "computed_at": computed_at,
        "stamp": computed_at.isoformat() if computed_at else "",
        "arrived": shown.people.arrived if shown else 0,
        "figures": shown,
        "view": page.work(shown, Listing.of(request)) if shown else None,
    }

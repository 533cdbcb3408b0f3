"""A study's page of the stimulus audit: findings in words, then plots by system, then all measures."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from functools import partial

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from accounts.users.models import User
from core import clock
from core.paths import PROGRAM
from core.web.listing import Listing, longest
from studies.audit import accepting, measuring, overview, repair_words, repairing, words
from studies.audit.findings import with_accepted
from studies.audit.overview import AuditOverview
from studies.audit.plots import StripPlot
from studies.clips import figures
from studies.definition.models import Study
from studies.imports import renditions
from studies.members.pages import do_and_say, own_page, show, signed_in
from studies.summaries import services as summaries


def _accept(study: Study, user: User, key: str) -> str:
    row = accepting.accept(study=study, key=key, user=user, now=clock.now())
    return _("Part of what you compare: {finding}").format(finding=row.text)


def _revoke(study: Study, user: User, key: str) -> str:
    accepting.revoke(study=study, key=key, user=user, now=clock.now())
    return _("The finding is a warning again.")


def _measure(study: Study, _user: User, _key: str) -> str:
    measuring.measure_again(study, clock.now())
    return _("The clips are being measured.")


ACTIONS: Mapping[str, Callable[[Study, User, str], str]] = {"accept": _accept, "revoke": _revoke, "measure": _measure}


@own_page()
def audit_page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the audit; POST accepts a finding, takes this back, or has clips measured."""
    if request.method == "POST":
        if name := next((name for name in ACTIONS if name in request.POST), ""):
            do_and_say(request, study, partial(ACTIONS[name], study, signed_in(request), request.POST[name]))
        return redirect("studies:audit", study.slug)
    # Before the clips are read: a conversion that ends meanwhile must not show findings on the clips before.
    conversion = renditions.unfinished(study)
    number = figures.total(study.pk)
    shown = summaries.summary(overview.SUMMARY, study, now=clock.now())
    whole = shown.value
    found = with_accepted(study, whole.found) if whole else []
    listing = Listing.of(request)
    medians = listing.page_of(whole.medians if whole else [], lambda row: row[0])
    groups = {
        "blocking": [each for each in found if each.is_blocking],
        "open": [each for each in found if each.is_open],
        "accepted": [each for each in found if each.accepted],
    }
    pages = {name: listing.page_of(rows, lambda each: each.text) for name, rows in groups.items()}
    job = measuring.newest(study)
    is_working = job is not None and not job.is_over
    done, total = measuring.progress(study) if is_working else (number - (whole.missing if whole else 0), number)
    context = {
        "number": number,
        "shown": shown,
        "whole": whole,
        "repairs": [(row, repair_words.summary(row.kind, row.value)) for row in repairing.applied(study)],
        "conversion": conversion,
        "missing": total - done,
        "progress": words.of_progress(done, total) if done < total else "",
        "job": job if is_working else None,
        "failure": job.error if job is not None and job.error else "",
        **pages,
        "plots": _plots_of(whole, {system for system, _values in medians}),
        "medians": medians,
        "listing": listing,
        "page": longest([medians, *pages.values()]),
        "measures": list(words.MEASURES.values()),
        "program": PROGRAM,
    }
    return show(request, study, "studies/audit/audit.html", _("Audit"), context)


def _plots_of(whole: AuditOverview | None, systems: Container[str]) -> list[StripPlot]:
    """Return the plots with the rows of these systems; those that have none are left out."""
    plots = whole.plots if whole else []
    narrowed = [
        replace(plot, strips=tuple(strip for strip in plot.strips if strip.system in systems)) for plot in plots
    ]
    return [plot for plot in narrowed if plot.strips]


@require_GET
@own_page()
def audit_status(request: HttpRequest, study: Study) -> JsonResponse:
    """Return the progress of the newest job for the page's script."""
    job, message = measuring.newest(study), words.of_progress(*measuring.progress(study))
    if job is None:
        return JsonResponse({"percent": 0, "done": 0, "total": 0, "over": True, "message": message})
    counts = {"percent": job.percent, "done": job.done, "total": job.total}
    return JsonResponse({**counts, "over": job.is_over, "message": message})

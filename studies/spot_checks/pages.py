"""The results of the spot check for researchers: withdraw, restore or replace failed clips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from core import clock
from core.errors import DomainError, Invalid
from core.nudge import nudge
from studies.decisions.access import researcher_page
from studies.decisions.desk import user_of
from studies.imports import changes, replacing
from studies.rules.roles import Capability
from studies.spot_checks import overview
from studies.spot_checks.checking import LABELS, SPOT_CHECK, fill

if TYPE_CHECKING:
    from studies.definition.models import Study


@require_http_methods(["GET", "POST"])
@researcher_page(Capability.SEE_STUDY)
def spot_check_page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the results to the study's researchers; POST withdraws, restores or replaces a failed clip."""
    if request.method == "POST":
        return _move(request, study)
    fill(study=study)
    failing = [
        (item, [(comment, LABELS.get(comment.code, comment.code)) for comment in item.comments])
        for item in overview.failing(study.pk)
    ]
    context = {
        "study": study,
        "settings": study.definition.spot_check,
        "is_open": SPOT_CHECK.is_on(study),
        "progress": overview.progress(study),
        "success": overview.rates(study.pk, "success"),
        "consistency": overview.rates(study.pk, "consistency"),
        "failing": failing,
        "experts": overview.experts(study.pk),
        "may_replace": study.is_draft,
    }
    return render(request, "studies/spot_checks/overview.html", context)


def _move(request: HttpRequest, study: Study) -> HttpResponse:
    """Withdraw a failed clip, or restore it."""
    known = {str(clip.clip): clip for item in overview.failing(study.pk) for clip in item.clips if clip.clip}
    action = next((name for name in ("withdraw", "restore", "replace") if name in request.POST), "")
    failed_clip = known.get(request.POST.get(action) or "")
    if failed_clip is None or failed_clip.clip is None:
        raise Http404
    if action == "replace":
        return _replace(request, study, failed_clip)
    if action == "withdraw":
        changes.withdraw(clips=[failed_clip.clip], now=clock.now())
        messages.success(request, _("{file} is withdrawn.").format(file=failed_clip.file))
    else:
        changes.restore(clips=[failed_clip.clip], now=clock.now())
        messages.success(request, _("{file} is restored.").format(file=failed_clip.file))
    return redirect("experts:spot_check_overview", slug=study.slug)


def _replace(request: HttpRequest, study: Study, failed_clip: overview.FailedClip) -> HttpResponse:
    """Import a replacement; the import's page shows its progress."""
    upload = request.FILES.get("replacement")
    assert failed_clip.clip is not None
    try:
        if upload is None:
            raise Invalid(_("Choose a recording first."))
        row = replacing.replace(
            study=study, clip_id=failed_clip.clip, upload=upload, user=user_of(request), now=clock.now()
        )
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("experts:spot_check_overview", slug=study.slug)
    nudge(row.task_name, row.pk)
    message = _("The new recording is being checked. If it is accepted, it replaces {file}; otherwise that clip stays.")
    messages.success(request, message.format(file=failed_clip.file))
    # Where the import says how far it is, and what it refuses.
    return redirect("studies:import", study.slug, row.pk)


def is_on(study: Study) -> bool:
    """True if experts check a share of the clips before the launch."""
    return study.definition.spot_check.mode != "off"


def panel(study: Study) -> str:
    """Return the progress of the spot check for the launch page; if it is off, how to turn it on before the launch."""
    if not is_on(study):
        if not study.is_draft:
            return ""
        return format_html(
            '<p>{} <a href="{}">{}</a></p>',
            _("Off. Experts can check a share of the clips before the launch."),
            reverse("studies:design", args=[study.slug]) + "#spot_check.mode",
            _("Turn it on"),
        )
    stands = overview.progress(study)
    message = _("{done} items decided, {open} still wait for experts, {failed} failed.")
    return format_html(
        '<p>{} <a href="{}">{}</a></p>',
        message.format(done=stands.done, open=stands.open, failed=stands.failed),
        reverse("experts:spot_check_overview", args=[study.slug]),
        _("Results of the spot check"),
    )

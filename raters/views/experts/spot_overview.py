"""The spot check as its researcher sees it: how far, how many failed of each system, and which clips have to go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from core import clock
from core.errors import DomainError, Invalid
from core.nudge import nudge
from raters.views.experts import spot_words
from raters.views.experts.access import of_study
from raters.views.experts.desk import user_of
from studies.selectors import overview
from studies.selectors import spot_overview as select
from studies.services import clips, replacing, spot_checks

if TYPE_CHECKING:
    from studies.models import Study


@require_http_methods(["GET", "POST"])
@of_study
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the whole of it to the study's owner; POST withdraws a clip that failed, brings it back, or replaces it."""
    if not overview.may_see(study, request.user):
        raise PermissionDenied
    if request.method == "POST":
        return _move(request, study)
    spot_checks.fill(study=study)
    words = spot_words.labels()
    failing = [
        (item, [(said, words.get(said.code, said.code)) for said in item.said]) for item in select.failing(study.pk)
    ]
    context = {
        "study": study,
        "settings": study.definition.spot_check,
        "is_open": spot_checks.is_open(study),
        "progress": select.progress(study),
        "success": select.rates(study.pk, "success"),
        "consistency": select.rates(study.pk, "consistency"),
        "failing": failing,
        "experts": select.experts(study.pk),
        "may_replace": study.state == study.State.DRAFT,
    }
    return render(request, "experts/spot_overview.html", context)


def _move(request: HttpRequest, study: Study) -> HttpResponse:
    """Withdraw one of the clips that failed, or bring it back."""
    known = {str(heard.clip): heard for item in select.failing(study.pk) for heard in item.clips if heard.clip}
    action = next((name for name in ("withdraw", "restore", "replace") if name in request.POST), "")
    heard = known.get(request.POST.get(action) or "")
    if heard is None or heard.clip is None:
        raise Http404
    if action == "replace":
        return _replace(request, study, heard)
    if action == "withdraw":
        clips.withdraw(clips=[heard.clip], now=clock.now())
        messages.success(request, _("{file} is withdrawn.").format(file=heard.file))
    else:
        clips.restore(clips=[heard.clip], now=clock.now())
        messages.success(request, _("{file} is back.").format(file=heard.file))
    return redirect("experts:spot_check_overview", slug=study.slug)


def _replace(request: HttpRequest, study: Study, heard: select.Heard) -> HttpResponse:
    """Take another recording in; the page of its import says how that goes."""
    upload = request.FILES.get("replacement")
    assert heard.clip is not None
    try:
        if upload is None:
            raise Invalid(_("Choose a recording first."))
        row = replacing.replace(study=study, clip_id=heard.clip, upload=upload, user=user_of(request), now=clock.now())
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("experts:spot_check_overview", slug=study.slug)
    nudge(row.task_name, row.pk)
    said = _("The clip {file} is withdrawn, and the new recording is read now. Experts check it, too.")
    messages.success(request, said.format(file=heard.file))
    # Where the import says how far it is, and what it refuses.
    return redirect("admin:studies_study_import", study.pk, row.pk)


def panel(study: Study) -> str:
    """Say on the study's launch page where its spot check stands."""
    if study.definition.spot_check.mode == "off":
        return format_html(
            "<p>{}</p>",
            _("Switched off: in the settings, experts can be asked to check a share of the clips before the launch."),
        )
    stands = select.progress(study)
    said = _("{done} items decided, {open} still wait for experts, {failed} failed.")
    return format_html(
        '<p>{} <a href="{}">{}</a></p>',
        said.format(done=stands.done, open=stands.open, failed=stands.failed),
        reverse("experts:spot_check_overview", args=[study.slug]),
        _("Results of the spot check"),
    )

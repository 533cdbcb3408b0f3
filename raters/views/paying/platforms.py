"""Link studies at the platform, have them read, upload their lists, decide on single sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core import client_input, clock
from core.errors import Invalid
from core.nudge import nudge
from raters.client import configured
from raters.services.paying import deciding
from raters.services.platforms import linking, reading, uploading
from raters.views.paying.access import acts, platform_of, who

if TYPE_CHECKING:
    from studies.models import Study


@acts
def link(request: HttpRequest, study: Study) -> HttpResponse:
    """Name a study at the platform."""
    row = linking.link(study_id=study.pk, ext_study=request.POST.get("ext_study", ""), by=who(request), now=clock.now())
    if configured.is_configured():
        nudge(row.task_name, row.pk)
    return back(study)


@acts
def unlink(request: HttpRequest, study: Study) -> HttpResponse:
    """Forget one that was named by mistake."""
    linking.unlink(platform=platform_of(study, request.POST.get("platform")))
    return back(study)


@acts
def read(request: HttpRequest, study: Study) -> HttpResponse:
    """Have a platform's study read as soon as may be."""
    platform = platform_of(study, request.POST.get("platform"))
    if reading.ask(platform_id=platform.pk, now=clock.now()):
        nudge(platform.task_name, platform.pk)
    messages.success(request, _("The submissions are being read. Load this page again in a moment."))
    return back(study)


@acts
def upload(request: HttpRequest, study: Study) -> HttpResponse:
    """Take the platform's list of submissions as a file."""
    platform, file = platform_of(study, request.POST.get("platform")), request.FILES.get("file")
    if file is None:
        raise Invalid(_("Choose a file."))
    number = uploading.upload(platform=platform, file=cast(BinaryIO, file), now=clock.now())
    said = ngettext("{n} submission was read.", "{n} submissions were read.", number)
    messages.success(request, said.format(n=number))
    return back(study)


@acts
def decide(request: HttpRequest, study: Study) -> HttpResponse:
    """Say whether a session is owed its pay that no rule decides."""
    session, payable = client_input.whole_number(request.POST.get("session", "")), request.POST.get("payable")
    if session is not None and payable in {"yes", "no"}:
        deciding.decide_pay(session_id=session, study_id=study.pk, payable=payable == "yes", by=who(request))
    return back(study)


def back(study: Study) -> HttpResponse:
    return redirect("paying:overview", slug=study.slug)

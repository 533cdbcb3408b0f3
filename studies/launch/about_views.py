"""The page Settings: a study's title, notice and remark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from studies.launch.about_form import AboutForm
from studies.launch.frame import frame
from studies.launch.states import describe, lock
from studies.members import access
from studies.members.pages import of_study
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from studies.definition.models import Study


@require_http_methods(["GET", "POST"])
@never_cache
@of_study
def settings(request: HttpRequest, study: Study) -> HttpResponse:
    """Show a study's title, notice and remark, which no version freezes; POST changes them. A pilot keeps its own."""
    if study.pilot_of_id is not None:
        raise Http404
    with transaction.atomic():
        if request.method == "POST":
            lock(study)
        before = study.title
        form = AboutForm(request.POST or None, instance=study)
        if form.is_valid():
            describe(study=study, **form.cleaned_data)
            messages.success(request, _("The settings were saved."))
            return redirect("studies:settings", slug=study.slug)
    # A form that was refused has already written into its study, whose title stands in the header.
    study.title = before
    context = {
        **frame(study),
        "form": form,
        "may_change": access.may(study, request.user, Capability.CHANGE_STUDY),
    }
    return render(request, "studies/launch/settings.html", context, status=400 if form.errors else 200)

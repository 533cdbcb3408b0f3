"""Save a study's settings as a preset of this server."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from core import clock
from core.errors import Invalid
from studies.definition.models import Study
from studies.launch import saved_presets
from studies.members.pages import may_change, of_study, signed_in


def may_save(study: Study, user: Any) -> bool:
    """Return whether this person may save the study's scales as a preset."""
    is_of_scales = study.draft["task_type"] == "scales"
    return is_of_scales and may_change(study, user) and bool(user.has_perm("studies.add_study"))


@require_POST
@never_cache
@of_study
def save(request: HttpRequest, study: Study) -> HttpResponse:
    """Save the settings of a study with scales under a name."""
    user = signed_in(request)
    if not may_change(study, user):
        raise PermissionDenied
    if not may_save(study, user):
        messages.error(request, _("Only people who make studies can save presets, and only of a study with scales."))
        return redirect("studies:design", slug=study.slug)
    name, description = (request.POST.get(field, "") for field in ("name", "description"))
    try:
        preset = saved_presets.save(study=study, name=name, description=description, author=user, now=clock.now())
    except Invalid as error:
        messages.error(request, error.message)
    else:
        text = _("Saved as the preset “{name}”. It is on the page New study, under Presets of this server.")
        messages.success(request, text.format(name=preset.name))
    return redirect("studies:design", slug=study.slug)

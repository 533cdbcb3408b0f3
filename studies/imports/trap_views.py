"""Copy the traps of another study into this one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from core import clock
from core.errors import DomainError
from core.nudge import nudge
from studies.definition.models import Study
from studies.imports import requests, trap_sets
from studies.members.pages import log_change, may_change, own_page, signed_in


def origins(study: Study, user: Any) -> QuerySet[Study]:
    """Return the studies whose traps the page offers: none if the task has no traps or clips can't be added."""
    takes_traps = study.definition.kind.traps and study.state != Study.State.CLOSED and may_change(study, user)
    return trap_sets.origins(study, user) if takes_traps else Study.objects.none()


@require_POST
@own_page()
def copy_traps(request: HttpRequest, study: Study) -> HttpResponse:
    """Queue the import of the chosen study's traps; those that this study has already are kept."""
    origin = origins(study, request.user).filter(slug=request.POST.get("origin", "")).first()
    if origin is None:
        messages.error(request, _("Choose a study that has traps and that you may change."))
        return redirect("studies:clips", study.slug)
    name = _("Traps of {study}").format(study=origin.slug)
    try:
        row = requests.request_import(
            study=study,
            user=signed_in(request),
            manifest=None,
            manifest_name=name,
            archive=None,
            archive_name=name,
            traps_of=origin,
            choices=requests.Choices(skips_known=True),
            now=clock.now(),
        )
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("studies:clips", study.slug)
    nudge(row.task_name, row.pk)
    log_change(request, study, _("Traps were copied from {study}.").format(study=origin.slug))
    return redirect("studies:import", study.slug, row.pk)

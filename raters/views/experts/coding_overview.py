"""What experts found in raters' words, as the study's researcher sees it: codes by group, quotes, and agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from raters.reasons import agreement
from raters.selectors import code_tables, coding_overview
from raters.selectors.queue import MOST_COUNTED
from raters.views.experts.access import of_study
from studies import hooks
from studies.selectors import overview

if TYPE_CHECKING:
    from studies.models import Study


@require_GET
@of_study
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the whole of it to the study's owner; `by` is what the tables are by."""
    if not overview.may_see(study, request.user):
        raise PermissionDenied
    settings = study.definition.coding
    by = request.GET.get("by", "")
    by = by if by in code_tables.BY else code_tables.BY[0]
    is_hidden = not all(gate(study, request.user) for gate in hooks.score_gates)
    context = {
        "study": study,
        "settings": settings,
        "by": by,
        "most": MOST_COUNTED,
        "counts": coding_overview.counts(study.pk, settings),
        "experts": coding_overview.experts(study.pk),
        "is_hidden": is_hidden,
        "table": None if is_hidden else code_tables.table(study.pk, settings, by),
        "agreement": code_tables.agreement(study.pk, settings),
        "kappa_source": agreement.SOURCE,
        "fewest": agreement.FEWEST,
    }
    return render(request, "experts/coding_overview.html", context)

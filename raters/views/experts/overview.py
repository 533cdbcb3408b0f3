"""The justification review as its researcher sees it: how far, how consistent, how much experts agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from core import clock
from raters.reasons import agreement
from raters.selectors import review_overview as select
from raters.selectors.queue import MOST_COUNTED
from raters.services import reviews
from raters.views.experts.access import of_study
from studies.selectors import overview

if TYPE_CHECKING:
    from studies.models import Study


@require_http_methods(["GET", "POST"])
@of_study
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the whole of it to the study's owner; POST applies the limit on a rater's share to everybody."""
    if not overview.may_see(study, request.user):
        raise PermissionDenied
    settings = study.definition.review
    if request.method == "POST":
        out = reviews.apply_limit(study=study, now=clock.now())
        said = ngettext("{number} rater is excluded by the limit.", "{number} raters are excluded by the limit.", out)
        messages.success(request, said.format(number=out) if out else _("The limit excludes nobody."))
        return redirect("experts:review_overview", slug=study.slug)
    raters = select.by_rater(study.pk, settings)
    context = {
        "study": study,
        "settings": settings,
        "counts": select.counts(study.pk, settings),
        "most": MOST_COUNTED,
        "experts": select.experts(study.pk),
        "systems": select.by_system(study.pk, settings),
        "raters": raters[: select.MOST_RATERS],
        "most_raters": select.MOST_RATERS if len(raters) > select.MOST_RATERS else 0,
        "kappa": select.agreement(study.pk, settings),
        "kappa_source": agreement.SOURCE,
        "fewest": agreement.FEWEST,
    }
    return render(request, "experts/overview.html", context)

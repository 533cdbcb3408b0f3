"""The Results page of a dry run: computed from its simulated raters, marked in every heading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from analysis.live import page
from analysis.live.views import choice, load
from analysis.sections import blocks
from core import clock
from core.web.listing import Listing
from raters.previews import dry_runs
from studies.members.pages import of_study

if TYPE_CHECKING:
    from studies.definition.models import Study


@require_GET
@never_cache
@of_study
def results(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the blocks of the Results page with simulated ratings. All members see it, as no listener gave them."""
    job = dry_runs.newest(study.pk, clock.now())
    shown = load(request, study, job.figures) if job is not None and job.figures else None
    if job is None or shown is None:
        raise Http404(_("There is no dry run to show. Simulate raters first."))
    by = choice(request, "by", list(blocks.BY), "system")
    context = {
        "study": study,
        "is_dry_run": True,
        "computed_at": job.ended_at,
        "by": by,
        "figures": shown,
        "view": page.view(shown, by, Listing.of(request)),
    }
    html = render_to_string("analysis/live/figures.html", context, request)
    return render(request, "analysis/live/dry_run.html", {"study": study, "job": job, "figures": marked(html)})


def marked(html: str) -> SafeString:
    """Mark every heading of rendered blocks, so that a screenshot can't pass for a result."""
    mark = format_html(' <span class="pill simulated">{}</span>', _("Simulated raters"))
    # Templates escape text from users, so every </h2> is a real one.
    return mark_safe(html.replace("</h2>", f"{mark}</h2>"))  # noqa: S308

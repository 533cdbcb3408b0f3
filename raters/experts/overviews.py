"""Pages for researchers about the experts' work: reasons, codes, and the spot check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from core import clock
from raters.experts import code_tables, coding_overview, rater_limit, review_overview
from raters.experts.models import Coding, Review
from studies import hooks
from studies.decisions.access import researcher_page
from studies.decisions.queue import MOST_COUNTED
from studies.definition.settings.coding import Code
from studies.rules import agreement
from studies.rules.agreement import Kappa
from studies.rules.roles import Capability
from studies.summaries import services as summaries
from studies.summaries.services import SummaryKind

if TYPE_CHECKING:
    from studies.definition.models import Study


@dataclass(frozen=True, slots=True)
class ReviewTables:
    """Data of the review overview."""

    counts: dict[str, int]
    experts: list[review_overview.Reviewer]
    systems: list[review_overview.ReviewCounts]
    raters: list[review_overview.ReviewCounts]
    kappa: Kappa | None


def review_tables(study: Study, choice: str) -> ReviewTables:
    settings = study.definition.review
    return ReviewTables(
        review_overview.counts(study.pk, settings),
        review_overview.experts(study.pk),
        review_overview.by_system(study.pk, settings),
        review_overview.by_rater(study.pk, settings),
        review_overview.agreement(study.pk, settings),
    )


@dataclass(frozen=True, slots=True)
class CodeTables:
    """Data of the coding overview."""

    counts: dict[str, int]
    experts: list[coding_overview.Coder]
    codes: code_tables.CodeTable
    agreement: list[tuple[Code, Kappa, int]]


def coded(study: Study, choice: str) -> CodeTables:
    """Read all codings; `choice` groups the tables."""
    settings = study.definition.coding
    return CodeTables(
        coding_overview.counts(study.pk, settings),
        coding_overview.experts(study.pk),
        code_tables.table(study.pk, settings, choice),
        code_tables.agreement(study.pk, settings),
    )


REVIEWS = SummaryKind("reviews", ReviewTables, review_tables, lambda study: Review.objects.filter(study=study))
CODES = SummaryKind("codes", CodeTables, coded, lambda study: Coding.objects.filter(study=study))


@require_http_methods(["GET", "POST"])
@researcher_page(Capability.SEE_SCORES)
def review_page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the review overview; POST applies the limit on inconsistent reasons to all raters."""
    settings = study.definition.review
    if request.method == "POST":
        out = rater_limit.apply(study=study, now=clock.now())
        message = ngettext(
            "{number} rater is excluded by the limit.", "{number} raters are excluded by the limit.", out
        )
        messages.success(request, message.format(number=out) if out else _("No rater is above the limit."))
        return redirect("experts:review_overview", slug=study.slug)
    shown = summaries.summary(REVIEWS, study, now=clock.now())
    raters = shown.value.raters if shown.value else []
    context = {
        "study": study,
        "settings": settings,
        "shown": shown,
        "tables": shown.value,
        "most": MOST_COUNTED,
        "raters": raters[: review_overview.MOST_RATERS],
        "most_raters": review_overview.MOST_RATERS if len(raters) > review_overview.MOST_RATERS else 0,
        "kappa_source": agreement.SOURCE,
        "fewest": agreement.FEWEST,
    }
    return render(request, "raters/experts/overview.html", context)


@require_GET
@researcher_page(Capability.SEE_STUDY)
def coding_page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the coding overview; `by` groups the tables."""
    settings = study.definition.coding
    by = request.GET.get("by", "")
    by = by if by in code_tables.BY else code_tables.BY[0]
    is_hidden = not all(gate(study, request.user) for gate in hooks.score_gates)
    shown = summaries.summary(CODES, study, now=clock.now(), choice=by)
    tables = shown.value
    context = {
        "study": study,
        "settings": settings,
        "by": by,
        "most": MOST_COUNTED,
        "shown": shown,
        "tables": tables,
        "is_hidden": is_hidden,
        "table": tables.codes if tables is not None and not is_hidden else None,
        "kappa_source": agreement.SOURCE,
        "fewest": agreement.FEWEST,
    }
    return render(request, "raters/experts/coding_overview.html", context)

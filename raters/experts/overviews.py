"""Experts' work as the study's researcher sees it: reasons, codes, and the spot check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from core import clock
from core.errors import DomainError, Invalid
from core.nudge import nudge
from raters.experts import code_tables, coding_overview, desks, review_overview, reviewing
from raters.experts.access import researcher_page
from raters.experts.desk import user_of
from raters.experts.models import Coding, Review
from raters.experts.queue import MOST_COUNTED
from studies import hooks
from studies.definition.settings.coding import Code
from studies.imports import changes, replacing
from studies.rules import agreement
from studies.rules.agreement import Kappa
from studies.rules.roles import Capability
from studies.spot_checks import overview as spot_overview
from studies.spot_checks import queue
from studies.summaries import services as summaries
from studies.summaries.services import SummaryKind

if TYPE_CHECKING:
    from studies.definition.models import Study


@dataclass(frozen=True, slots=True)
class ReviewTables:
    """What the overview of reviews reads of all decisions."""

    counts: dict[str, int]
    experts: list[review_overview.Reviewer]
    systems: list[review_overview.ReviewCounts]
    raters: list[review_overview.ReviewCounts]
    kappa: Kappa | None


def review_tables(study: Study, choice: str) -> ReviewTables:
    """Read all decisions on reasons."""
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
    """What the overview of codes reads of all codings."""

    counts: dict[str, int]
    experts: list[coding_overview.Coder]
    codes: code_tables.CodeTable
    agreement: list[tuple[Code, Kappa, int]]


def coded(study: Study, choice: str) -> CodeTables:
    """Read all codings; `choice` is what the tables are by."""
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
    """Show the whole of it to the study's researchers; POST applies the limit on a rater's share to everybody."""
    settings = study.definition.review
    if request.method == "POST":
        out = reviewing.apply_limit(study=study, now=clock.now())
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
    """Show the whole of it to the study's researchers; `by` is what the tables are by."""
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


@require_http_methods(["GET", "POST"])
@researcher_page(Capability.SEE_STUDY)
def spot_check_page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the whole of it to the study's researchers; POST withdraws, restores or replaces a clip that failed."""
    if request.method == "POST":
        return _move(request, study)
    queue.fill(study=study)
    words = desks.labels()
    failing = [
        (item, [(comment, words.get(comment.code, comment.code)) for comment in item.comments])
        for item in spot_overview.failing(study.pk)
    ]
    context = {
        "study": study,
        "settings": study.definition.spot_check,
        "is_open": queue.is_open(study),
        "progress": spot_overview.progress(study),
        "success": spot_overview.rates(study.pk, "success"),
        "consistency": spot_overview.rates(study.pk, "consistency"),
        "failing": failing,
        "experts": spot_overview.experts(study.pk),
        "may_replace": study.is_draft,
    }
    return render(request, "raters/experts/spot_overview.html", context)


def _move(request: HttpRequest, study: Study) -> HttpResponse:
    """Withdraw one of the clips that failed, or bring it back."""
    known = {str(clip.clip): clip for item in spot_overview.failing(study.pk) for clip in item.clips if clip.clip}
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


def _replace(request: HttpRequest, study: Study, failed_clip: spot_overview.FailedClip) -> HttpResponse:
    """Take another recording in; the page of its import says how that goes."""
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
    return redirect("admin:studies_study_import", study.pk, row.pk)


def panel(study: Study) -> str:
    """Return the progress of the spot check, for the study's launch page."""
    if study.definition.spot_check.mode == "off":
        return format_html(
            "<p>{}</p>",
            _("Switched off. In the settings, you can ask experts to check a share of the clips before the launch."),
        )
    stands = spot_overview.progress(study)
    message = _("{done} items decided, {open} still wait for experts, {failed} failed.")
    return format_html(
        '<p>{} <a href="{}">{}</a></p>',
        message.format(done=stands.done, open=stands.open, failed=stands.failed),
        reverse("experts:spot_check_overview", args=[study.slug]),
        _("Results of the spot check"),
    )

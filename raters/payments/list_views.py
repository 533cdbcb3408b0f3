"""Views of one payment list, and actions on platform studies: link, read, upload, decide pay."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, BinaryIO, cast

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from core import clock
from core.errors import Conflict, Invalid
from core.nudge import nudge
from core.web import client_input
from raters.payments import payment_lists, platform_studies, reconciling, submissions, views
from raters.payments.access import list_or_404, may_pay, of_study, payment_action, platform_or_404, signed_in_user
from raters.payments.models import DRAFT, Payment, PaymentList

if TYPE_CHECKING:
    from studies.definition.models import Study

ROWS = 200
Kind, State = PaymentList.Kind, Payment.State
ENDS = (State.DONE, State.FAILED, State.UNCLEAR)


@require_GET
@of_study
def page(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show a list; with ?part=1, only the part that changes."""
    listed = list_or_404(study, pk)
    if listed.platform.source in reconciling.missing_sources(study.pk):
        return render(request, "raters/payments/source_missing.html", {"study": study, "listed": listed})
    number, amount = payment_lists.totals(listed)
    every = Payment.objects.filter(list=listed).select_related("submission").order_by("pk")
    rows = every.exclude(state=State.REMOVED)
    left_out = every.filter(state=State.REMOVED) if listed.state == DRAFT else every.none()
    states = {state: rows.filter(state=state).count() for state in (State.SENDING, *ENDS)}
    context = {
        "study": study,
        "listed": listed,
        "there": listed.platform.payment_platform,
        "about": views.about(listed.kind, listed.platform.payment_platform),
        "is_draft": listed.state == DRAFT,
        "may_pay": may_pay(request, study),
        "number": number,
        "seen": payment_lists.digest(listed) if listed.state == DRAFT else "",
        "amount": amount,
        "states": states,
        "asks_message": listed.kind in {Kind.REJECT, Kind.REQUEST_RETURN},
        "left_out": left_out[:ROWS],
        "more_left_out": max(0, left_out.count() - ROWS),
        "page": Paginator(rows, ROWS).get_page(request.GET.get("page")),
        "more_places": (listed.places or 0) - (listed.platform.places or 0),
        "cost": (listed.platform.reward or Decimal(0)) * number,
    }
    return render(request, f"raters/payments/{'list_part' if 'part' in request.GET else 'list'}.html", context)


@payment_action
def prepare(request: HttpRequest, study: Study) -> HttpResponse:
    """Create a draft and redirect to it."""
    platform, kind = platform_or_404(study, request.POST.get("platform")), request.POST.get("kind", "")
    if kind == Kind.PLACES:
        more = request.POST.get("more", "")
        listed = payment_lists.prepare_places(
            platform=platform, more=client_input.whole_number(more) or 0, by=signed_in_user(request), now=clock.now()
        )
    else:
        listed = payment_lists.prepare(
            study=study, platform=platform, kind=kind, by=signed_in_user(request), now=clock.now()
        )
    return redirect("paying:listed", slug=study.slug, pk=listed.pk)


@payment_action
def take_off(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Remove the selected people from a draft."""
    number = payment_lists.take_off(listed=list_or_404(study, pk), payments=ticked(request))
    messages.success(
        request,
        ngettext("{n} person was removed from the list.", "{n} people were removed from the list.", number).format(
            n=number
        ),
    )
    return redirect("paying:listed", slug=study.slug, pk=pk)


@payment_action
def put_on(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Add the selected people to a draft."""
    added = payment_lists.put_on(listed=list_or_404(study, pk), payments=ticked(request))
    messages.success(
        request,
        ngettext("{n} person was added to the list.", "{n} people were added to the list.", added).format(n=added),
    )
    return redirect("paying:listed", slug=study.slug, pk=pk)


@payment_action
def confirm(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Confirm a draft, provided it is unchanged since the page was loaded."""
    listed = list_or_404(study, pk)
    if "sure" not in request.POST:
        raise Conflict(_("Tick the box to confirm that you have checked the list."), code="not_sure")
    seen, message = request.POST.get("seen", ""), request.POST.get("message", "").replace("\r\n", "\n")
    row = payment_lists.confirm(listed=listed, seen=seen, message=message, by=signed_in_user(request), now=clock.now())
    nudge(row.task_name, row.pk)
    return redirect("paying:listed", slug=study.slug, pk=pk)


@payment_action
def discard(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Discard a draft, or the rest of a list."""
    listed = list_or_404(study, pk)
    payment_lists.discard(listed=listed, now=clock.now())
    if listed.state == DRAFT:
        messages.success(request, _("The list was discarded."))
        return redirect("paying:overview", slug=study.slug)
    messages.success(request, _("The rest of the list was discarded."))
    return redirect("paying:listed", slug=study.slug, pk=pk)


@payment_action
def resume(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Continue a list that stopped."""
    payment_lists.resume(listed=list_or_404(study, pk), now=clock.now())
    nudge(PaymentList.task_name, pk)
    return redirect("paying:listed", slug=study.slug, pk=pk)


@payment_action
def resolve(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Record what happened to the selected unclear payments."""
    happened = request.POST.get("happened")
    if happened in {"yes", "no"}:
        payment_lists.resolve(
            listed=list_or_404(study, pk),
            payments=ticked(request),
            happened=happened == "yes",
            by=signed_in_user(request),
            now=clock.now(),
        )
    return redirect("paying:listed", slug=study.slug, pk=pk)


def ticked(request: HttpRequest) -> list[int]:
    numbers = map(client_input.whole_number, request.POST.getlist("payment"))
    return [number for number in numbers if number is not None]


@payment_action
def link(request: HttpRequest, study: Study) -> HttpResponse:
    """Link a platform study."""
    source, name = request.POST.get("source") or study.definition.crowd.source, request.POST.get("ext_study", "")
    row = platform_studies.link(
        study_id=study.pk, source=source, ext_study=name, by=signed_in_user(request), now=clock.now()
    )
    if row.payment_platform.is_configured:
        nudge(row.task_name, row.pk)
    return back(study)


@payment_action
def unlink(request: HttpRequest, study: Study) -> HttpResponse:
    """Unlink a platform study."""
    platform_studies.unlink(platform=platform_or_404(study, request.POST.get("platform")))
    return back(study)


@payment_action
def read(request: HttpRequest, study: Study) -> HttpResponse:
    """Request a reading of a platform study's submissions."""
    platform = platform_or_404(study, request.POST.get("platform"))
    if platform_studies.request_reading(platform_id=platform.pk, now=clock.now()):
        nudge(platform.task_name, platform.pk)
    messages.success(request, _("The submissions are being read. Load this page again in a moment."))
    return back(study)


@payment_action
def upload(request: HttpRequest, study: Study) -> HttpResponse:
    """Read submissions from an uploaded CSV file."""
    platform, file = platform_or_404(study, request.POST.get("platform")), request.FILES.get("file")
    if file is None:
        raise Invalid(_("Choose a CSV file first."))
    number = submissions.upload(platform=platform, file=cast(BinaryIO, file), now=clock.now())
    text = ngettext("{n} submission was read.", "{n} submissions were read.", number)
    messages.success(request, text.format(n=number))
    return back(study)


@payment_action
def decide(request: HttpRequest, study: Study) -> HttpResponse:
    """Decide the pay of a session that no rule decides."""
    session, payable = client_input.whole_number(request.POST.get("session", "")), request.POST.get("payable")
    if session is not None and payable in {"yes", "no"}:
        payment_lists.decide_pay(
            session_id=session, study_id=study.pk, payable=payable == "yes", by=signed_in_user(request)
        )
    return back(study)


def back(study: Study) -> HttpResponse:
    return redirect("paying:overview", slug=study.slug)

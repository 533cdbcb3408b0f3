"""Permissions for a study's payments pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache

from core.errors import DomainError
from core.web import client_input
from raters.payments.models import PaymentList, PlatformStudy
from studies.members import access, pages
from studies.members.pages import View
from studies.rules.roles import Capability
from studies.summaries import services as summaries

if TYPE_CHECKING:
    from accounts.users.models import User
    from studies.definition.models import Study

# Owners need it, because the server's token reaches all studies of the platform account; superusers grant it.
PAYS = "raters.pay_raters"


def of_study(view: View) -> View:
    """Pass the study to the view; requires a staff login and a role that shows payments."""
    return never_cache(pages.for_capability(Capability.SEE_PAYMENTS)(view))


def payment_action(view: Callable[..., HttpResponse]) -> View:
    """Restrict a view to POST requests by users who may pay; errors are shown on the page that sent them."""

    @of_study
    @wraps(view)
    def guarded(request: HttpRequest, study: Study, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if not may_pay(request, study):
            raise PermissionDenied
        try:
            response = view(request, study, *args, **kwargs)
            summaries.outdate(study, name="payments")
            return response
        except DomainError as error:
            messages.error(request, error.message)
            if "pk" in kwargs:
                return redirect("paying:listed", slug=study.slug, pk=kwargs["pk"])
            return redirect("paying:overview", slug=study.slug)

    return guarded


def may_pay(request: HttpRequest, study: Study) -> bool:
    """True if this user may act on payments: as the study's payer, or as its owner with the permission to pay."""
    return access.may_with_right(study, request.user, Capability.PAY, PAYS)


def signed_in_user(request: HttpRequest) -> User:
    return cast("User", request.user)


def list_or_404(study: Study, pk: int) -> PaymentList:
    row = PaymentList.objects.filter(pk=pk, platform__study=study.pk).select_related("platform").first()
    if row is None:
        raise Http404
    return row


def platform_or_404(study: Study, text: str | None) -> PlatformStudy:
    key = client_input.whole_number(text or "")
    row = PlatformStudy.objects.filter(pk=key or 0, study=study.pk).first()
    if row is None:
        raise Http404
    return row

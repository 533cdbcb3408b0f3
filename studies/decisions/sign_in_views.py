"""Experts' entry pages: sign in, accept an invitation, choose a study."""

from __future__ import annotations

from django.contrib.auth import views
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from accounts.users.invitation_views import InvitationPage
from core.web import limits
from studies.decisions import desk, experts
from studies.decisions.access import signed_in
from studies.decisions.models import ExpertInvite

sign_in = limits.sign_in(
    views.LoginView.as_view(
        template_name="studies/decisions/sign_in.html",
        next_page=reverse_lazy("experts:index"),
        redirect_authenticated_user=False,
    )
)
sign_out = views.LogoutView.as_view(next_page=reverse_lazy("experts:sign_in"))


@require_GET
@signed_in
def index(request: HttpRequest) -> HttpResponse:
    """List the studies given to this person, with what waits in each; researchers' own only if they have work."""
    is_staff = getattr(request.user, "is_staff", False)
    listed = [(study, desk.work_of(study, request.user)) for study in experts.studies_of(request.user)]
    studies = [
        (study, work) for study, work in listed if not is_staff or any(each.waiting or each.done for each in work)
    ]
    first = next((each.url for _study, work in studies for each in work if each.waiting), "")
    return render(request, "studies/decisions/index.html", {"studies": studies, "first": first})


@require_http_methods(["GET", "POST"])
@never_cache
@limits.limited("invitation", "SIGN_IN_RATE", limits.PEOPLE_AT_ONE_ADDRESS)
def invitation(request: HttpRequest, token: str) -> HttpResponseBase:
    """Show an invitation, and accept it with the current account or a new one."""
    return INVITATION.answer(request, token)


INVITATION = InvitationPage(
    ExpertInvite, experts.accept, lambda invite: redirect("experts:index"),
    template="studies/decisions/invitation.html", frame="studies/decisions/base.html",
    sign_in="experts:sign_in", home=lambda: "experts:index",
)  # fmt: skip

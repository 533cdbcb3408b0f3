"""Experts' entry pages: sign in, accept an invitation, choose a study."""

from __future__ import annotations

from django.contrib.auth import login, views
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from accounts.users.account_form import NewAccountForm
from accounts.users.models import User
from core import clock
from core.errors import DomainError, Gone, Invalid, NotFound
from core.web import limits
from studies.decisions import desk, experts
from studies.decisions.access import signed_in

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
    """List the studies given to this person, with what waits in each."""
    studies = [(study, desk.work_of(study, request.user)) for study in experts.studies_of(request.user)]
    return render(request, "studies/decisions/index.html", {"studies": studies})


@require_http_methods(["GET", "POST"])
@never_cache
@limits.limited("invitation", "SIGN_IN_RATE", limits.PEOPLE_AT_ONE_ADDRESS)
def invitation(request: HttpRequest, token: str) -> HttpResponseBase:
    """Show an invitation, and accept it with the current account or a new one."""
    now = clock.now()
    try:
        invite = experts.checked(token=token, now=now)
    except (NotFound, Gone) as error:
        return render(request, "studies/decisions/no_invitation.html", {"message": error.message}, status=error.status)
    form = NewAccountForm(request.POST if "new" in request.POST else None, initial={"username": invite.email})
    try:
        if "accept" in request.POST and isinstance(request.user, User):
            experts.accept(token=token, user=request.user, now=now)
            return redirect("experts:index")
        if form.is_valid():
            data = form.cleaned_data
            user = experts.accept_as_new(token=token, username=data["username"], password=data["password"], now=now)
            login(request, user, backend="django.contrib.auth.backends.ModelBackend")
            return redirect("experts:index")
    except Invalid as error:
        for field, problem in error.problems.items():
            form.add_error(field, problem)
    except DomainError as error:
        return render(request, "studies/decisions/no_invitation.html", {"message": error.message}, status=error.status)
    context = {
        "invite": invite,
        "form": form,
        "sign_in": f"{reverse('experts:sign_in')}?next={request.path}",
    }
    return render(request, "studies/decisions/invitation.html", context, status=422 if form.errors else 200)

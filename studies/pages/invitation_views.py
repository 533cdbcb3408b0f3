"""Accept an invitation to a study: signed in, or with a new account."""

from __future__ import annotations

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.users.account_form import NewAccountForm
from accounts.users.models import User
from core import clock
from core.errors import DomainError, Gone, Invalid, NotFound
from core.web import limits
from studies.members import services
from studies.members.explanations import EXPLANATIONS
from studies.members.models import MemberInvite
from studies.rules.roles import Role


@require_http_methods(["GET", "POST"])
@never_cache
@limits.limited("invitation", "SIGN_IN_RATE", limits.PEOPLE_AT_ONE_ADDRESS)
def invitation(request: HttpRequest, token: str) -> HttpResponseBase:
    """Show an invitation, and accept it with the current account or a new one."""
    now = clock.now()
    try:
        invite = services.checked(token=token, now=now)
    except (NotFound, Gone) as error:
        return _refusal(request, error)
    form = NewAccountForm(request.POST if "new" in request.POST else None)
    try:
        if "accept" in request.POST and isinstance(request.user, User):
            services.accept(token=token, user=request.user, now=now)
            return _arrive(invite)
        if not request.user.is_authenticated and form.is_valid():
            data = form.cleaned_data
            user = services.accept_as_new(token=token, username=data["username"], password=data["password"], now=now)
            login(request, user, backend="django.contrib.auth.backends.ModelBackend")
            return _arrive(invite)
    except Invalid as error:
        for field, problem in error.problems.items():
            form.add_error(field, problem)
    except DomainError as error:
        return _refusal(request, error)
    context = {
        "invite": invite,
        "explanation": EXPLANATIONS[Role(invite.role)],
        "form": form,
        "sign_in": f"{reverse('admin:login')}?next={request.path}",
    }
    return render(request, "studies/invitation.html", context, status=422 if form.errors else 200)


def _arrive(invite: MemberInvite) -> HttpResponse:
    """Lead to the first page that the new role may open."""
    if invite.role == Role.PAYER:
        return redirect("workspace:home")
    return redirect("workspace:overview", invite.study.slug)


def _refusal(request: HttpRequest, error: DomainError) -> HttpResponse:
    return render(request, "studies/no_invitation.html", {"message": error.message}, status=error.status)

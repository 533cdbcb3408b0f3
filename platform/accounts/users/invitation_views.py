"""The page of an invitation: accept it signed in, or with a new account."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from accounts.users import invitations
from accounts.users.account_form import NewAccountForm
from accounts.users.models import User
from core import clock
from core.errors import DomainError, Gone, Invalid, NotFound


@dataclass(frozen=True, slots=True)
class InvitationPage:
    """Invitations of one table: how they are accepted, where that leads, and the page's template and addresses.

    `about` returns further template context; `frame` is the template around an error, which links to the page `home`.
    """

    model: type[invitations.Invitation]
    accept: Callable[..., object]
    arrive: Callable[[Any], HttpResponse]
    template: str
    frame: str
    sign_in: str
    home: Callable[[], str]
    about: Callable[[Any], dict[str, Any]] = lambda invite: {}

    def answer(self, request: HttpRequest, token: str) -> HttpResponse:
        """Show an invitation; POST accepts it with the current account or a new one."""
        now = clock.now()
        try:
            invite = invitations.checked(self.model, token=token, now=now)
        except (NotFound, Gone) as error:
            return self._refusal(request, error)
        form = NewAccountForm(request.POST if "new" in request.POST else None, initial={"username": invite.email})
        try:
            if "accept" in request.POST and isinstance(request.user, User):
                self.accept(token=token, user=request.user, now=now)
                return self.arrive(invite)
            if not request.user.is_authenticated and form.is_valid():
                user = invitations.accept_as_new(self.model, self.accept, token=token, now=now, **_account(form))
                login(request, user, backend="django.contrib.auth.backends.ModelBackend")
                return self.arrive(invite)
        except Invalid as error:
            for field, problem in error.problems.items():
                form.add_error(field, problem)
        except DomainError as error:
            return self._refusal(request, error)
        sign_in = f"{reverse(self.sign_in)}?next={request.path}"
        context = {"invite": invite, "form": form, "sign_in": sign_in, **self.about(invite)}
        return render(request, self.template, context, status=422 if form.errors else 200)

    def _refusal(self, request: HttpRequest, error: DomainError) -> HttpResponse:
        context = {"message": error.message, "frame": self.frame, "home": reverse(self.home())}
        return render(request, "accounts/no_invitation.html", context, status=error.status)


def _account(form: NewAccountForm) -> dict[str, str]:
    return {name: form.cleaned_data[name] for name in ("username", "password")}

"""Accept an invitation to a study."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.users.invitation_views import InvitationPage
from core.web import limits
from studies import hooks
from studies.members import services
from studies.members.explanations import EXPLANATIONS
from studies.members.models import MemberInvite
from studies.rules.roles import Role


@require_http_methods(["GET", "POST"])
@never_cache
@limits.limited("invitation", "SIGN_IN_RATE", limits.PEOPLE_AT_ONE_ADDRESS)
def invitation(request: HttpRequest, token: str) -> HttpResponseBase:
    """Show an invitation, and accept it with the current account or a new one."""
    return PAGE.answer(request, token)


def _arrive(invite: MemberInvite) -> HttpResponse:
    """Lead to the first page that the new role may open."""
    if invite.role == Role.PAYER:
        return redirect(hooks.workspace().home)
    return redirect(hooks.workspace().overview, invite.study.slug)


def _about(invite: MemberInvite) -> dict[str, Any]:
    return {"explanation": EXPLANATIONS[Role(invite.role)]}


PAGE = InvitationPage(
    MemberInvite, services.accept, _arrive, about=_about,
    template="studies/invitation.html", frame="studies/entry.html", sign_in="admin:login",
    home=lambda: hooks.workspace().home,
)  # fmt: skip

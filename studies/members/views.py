"""A study's members: invite them with a link, change their role, remove them, hand the study over."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.users.models import User
from core import clock
from core.web import client_input
from studies.definition.models import Study
from studies.members import services
from studies.members.explanations import EXPLANATIONS
from studies.members.forms import MemberInviteForm
from studies.members.models import GivenRole, Member
from studies.members.pages import do_and_say, log_change, own_page, show, signed_in
from studies.rules.roles import Capability, Role


def _change(study: Study, pk: int, by: User, sent: QueryDict) -> str:
    member = services.change_role(study=study, member_id=pk, role=sent.get("role", ""), shown=sent.get("shown"))
    return _("{name} now has the role “{role}”.").format(name=member.user, role=member.get_role_display())


def _remove(study: Study, pk: int, by: User, sent: QueryDict) -> str:
    member = services.remove(study=study, member_id=pk, by=by, now=clock.now())
    return _("{name} no longer has access to this study. You can undo this below.").format(name=member.user)


def _restore(study: Study, pk: int, by: User, sent: QueryDict) -> str:
    member = services.restore(study=study, member_id=pk, by=by, now=clock.now())
    return _("{name} has access to this study again.").format(name=member.user)


def _hand_over(study: Study, pk: int, by: User, sent: QueryDict) -> str:
    owner = services.hand_over(study=study, member_id=pk, by=by, now=clock.now())
    return _("{name} now owns this study.").format(name=owner)


def _void(study: Study, pk: int, by: User, sent: QueryDict) -> str:
    services.revoke_invite(study=study, invite_id=pk, now=clock.now())
    return _("The invitation was revoked.")


ACTIONS: dict[str, Callable[[Study, int, User, QueryDict], str]] = {
    "change": _change,
    "remove": _remove,
    "restore": _restore,
    "hand_over": _hand_over,
    "void": _void,
}


@own_page(sending=Capability.MANAGE_MEMBERS)
def members_page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the members of a study; POST invites one, or changes or ends a role."""
    for name, action in ACTIONS.items():
        if (key := client_input.whole_number(request.POST.get(name, ""))) is not None:
            do_and_say(request, study, partial(action, study, key, signed_in(request), request.POST))
            return redirect("studies:members", study.slug)
    form = MemberInviteForm(request.POST if "invite" in request.POST else None)
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        context = _invite(request, study, form)
    shown = {
        "members": [(each, _about(each)) for each in services.of_study(study)],
        "former": services.former(study),
        "invites": services.invites(study),
        "roles": [(role.label, EXPLANATIONS[Role(role.value)]) for role in GivenRole],
        "choices": GivenRole.choices,
        "owner_about": EXPLANATIONS[Role.OWNER],
        "now": clock.now(),
    }
    return show(request, study, "studies/members/members.html", _("Members"), {**context, **shown})


def _invite(request: HttpRequest, study: Study, form: MemberInviteForm) -> dict[str, Any]:
    """Create an invitation; its link is shown only in this response, since only its hash is stored."""
    invite, token = services.invite(
        study=study,
        role=form.cleaned_data["role"],
        by=signed_in(request),
        now=clock.now(),
        email=form.cleaned_data["email"],
    )
    log_change(request, study, _("Somebody was invited with the role “{role}”.").format(role=invite.get_role_display()))
    link = f"{settings.BASE_URL}{reverse('members:invitation', args=[token])}"
    return {"form": MemberInviteForm(), "link": link, "invite": invite}


def _about(member: Member) -> Any:
    return EXPLANATIONS[Role(member.role)]

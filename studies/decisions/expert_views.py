"""A study's experts: invite them with a link, list them, revoke their access."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from core import clock
from core.web import client_input
from studies.decisions import experts
from studies.decisions.forms import InviteForm
from studies.definition.models import Study
from studies.members.pages import do_and_say, log_change, own_page, show, signed_in
from studies.rules.roles import Capability


def _revoke(study: Study, pk: int) -> str:
    expert = experts.revoke(study=study, expert_id=pk, now=clock.now())
    return _("{name} no longer has access to this study. Their decisions stay.").format(name=expert.user)


def _void(study: Study, pk: int) -> str:
    experts.revoke_invite(study=study, invite_id=pk, now=clock.now())
    return _("The invitation was revoked.")


TAKES_BACK: dict[str, Callable[[Study, int], str]] = {"revoke": _revoke, "void": _void}


@own_page(sending=Capability.INVITE_EXPERTS)
def experts_page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the experts of a study; POST invites one, or revokes an expert or an invitation."""
    form = InviteForm(request.POST if "invite" in request.POST else None)
    for action, take_back in TAKES_BACK.items():
        if (key := client_input.whole_number(request.POST.get(action, ""))) is not None:
            do_and_say(request, study, partial(take_back, study, key))
            return redirect("studies:experts", study.slug)
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        invite, token = experts.invite(
            study=study, by=signed_in(request), now=clock.now(), email=form.cleaned_data["email"]
        )
        log_change(request, study, _("An expert was invited."))
        # The link is shown only once, in this response: only its hash is stored.
        link = f"{settings.BASE_URL}{reverse('experts:invitation', args=[token])}"
        context = {"form": InviteForm(), "link": link, "invite": invite}
    shown = {"experts": experts.of_study(study), "invites": experts.invites(study), "now": clock.now()}
    return show(request, study, "studies/decisions/experts.html", _("Experts"), {**context, **shown})

"""Personal invitations: one link per person; only its hash is stored."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.errors import Conflict, Invalid
from raters.sources.base import ArrivalRequest, RaterArrival, RaterSource
from raters.sources.models import Invite

if TYPE_CHECKING:
    from studies.definition.settings.crowd import Crowd

PARAMETER = "invite"


class InviteSource(RaterSource):
    """People invited personally, such as by mail or QR code."""

    name = "invite"
    label = gettext_lazy("Personal invitations")
    recruited = gettext_lazy("personal invitations")
    advice = gettext_lazy(
        "Each person has a link of their own, in place of the word in capitals: make them on the launch page."
    )
    codes = False
    fee_percent = 0.0

    def parse(self, knock: ArrivalRequest) -> RaterArrival:
        invite = Invite.objects.filter(token_sha256=digest(knock.id(PARAMETER)), study_id=knock.study_id).first()
        if invite is None:
            raise Invalid(_("There is no such invitation."), code="no_invitation")
        if invite.revoked_at is not None:
            raise Conflict(_("This invitation was withdrawn."), code="taken_back")
        return RaterArrival(self.name, f"{knock.slug}-{invite.pk}", knock.slug, str(invite.pk), proof="invited")

    def link(self, base_url: str, slug: str, crowd: Crowd) -> str:
        return personal(base_url, slug, "TOKEN")


def personal(base_url: str, slug: str, token: str) -> str:
    return f"{base_url}/s/{slug}/?{PARAMETER}={token}"


def digest(token: str) -> str:
    """Return the stored hash of a token: 128 random bits need no salt."""
    return hashlib.sha256(token.encode()).hexdigest()

"""Researchers' previews by signed link; the sessions aren't counted."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.core import signing
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core import rng
from core.errors import Invalid
from raters.sources.base import ArrivalRequest, RaterArrival, RaterSource

if TYPE_CHECKING:
    from studies.definition.settings.crowd import Crowd

PARAMETER = "preview"
LASTS = timedelta(days=7)


class PreviewSource(RaterSource):
    """People with a link from a user who may change the study."""

    name = "preview"
    label = gettext_lazy("Preview")
    offered = False
    codes = False

    def parse(self, knock: ArrivalRequest) -> RaterArrival:
        try:
            name = str(signing.loads(knock.id(PARAMETER), salt=_salt(knock.slug), max_age=LASTS))
        except signing.BadSignature:
            raise Invalid(_("This link has expired."), code="preview_over") from None
        return RaterArrival(self.name, name, knock.slug, name, proof="invited", preview=True)

    def link(self, base_url: str, slug: str, crowd: Crowd) -> str:
        """Return a link for one preview; each link is a different person."""
        return f"{base_url}/s/{slug}/?{PARAMETER}={signing.dumps(rng.token(), salt=_salt(slug))}"

    def return_address(self, crowd: Crowd, arrival: RaterArrival, outcome: str, *, payable: bool | None) -> str | None:
        return None


def _salt(slug: str) -> str:
    return f"raters.preview.{slug}"

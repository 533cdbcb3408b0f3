"""An open link, such as for a lab: anyone may take part, identified only by their browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy

from raters.sources.base import ArrivalRequest, EntryPage, RaterArrival, RaterSource

if TYPE_CHECKING:
    from studies.definition.settings.crowd import Crowd


class OpenLinkSource(RaterSource):
    """Anyone with the link."""

    name = "open"
    label = gettext_lazy("Open link")
    recruited = gettext_lazy("an open link")
    advice = gettext_lazy("Anyone who opens this address can take part. Who they are is not checked.")
    codes = False
    fee_percent = 0.0
    by_browser = True

    def entry_page(self, knock: ArrivalRequest) -> EntryPage:
        """Require a click, so that link checkers don't create sessions."""
        came_before = bool(knock.browser)
        context = {"came_before": came_before, "goes_on": came_before and knock.crowd.one_per_browser}
        return EntryPage("raters/sources/open.html", context, opens=True)

    def parse(self, knock: ArrivalRequest) -> RaterArrival:
        browser = knock.browser if knock.browser and knock.crowd.one_per_browser else knock.fresh
        return RaterArrival(self.name, f"{knock.slug}-{browser}", knock.slug, browser, proof="anonymous")

    def link(self, base_url: str, slug: str, crowd: Crowd) -> str:
        return f"{base_url}/s/{slug}/"

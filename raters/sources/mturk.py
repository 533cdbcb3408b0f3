"""Mechanical Turk: the task opens the study in a new window, and the code is entered in the task.

Amazon closed it on 30 September 2026. Studies that name it still work, and new ones aren't offered it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.utils.translation import gettext_lazy

from raters.sources.base import ArrivalRequest, EntryPage, RaterArrival, RaterSource, read_ids

if TYPE_CHECKING:
    from studies.definition.settings.crowd import Crowd

PARAMETERS = {"person": ("workerId",), "study": ("hitId",), "session": ("assignmentId",)}
NOT_ACCEPTED = "ASSIGNMENT_ID_NOT_AVAILABLE"
SITES = ("https://www.mturk.com", "https://workersandbox.mturk.com")
# Parameter that marks the study's own window, as opposed to the task's frame.
WINDOW = "window"


class MTurkSource(RaterSource):
    """Mechanical Turk, with an ExternalQuestion."""

    name = "mturk"
    label = "Mechanical Turk"
    is_closed = True
    place = "Mechanical Turk"
    advice = gettext_lazy("Use this address as the ExternalURL of an ExternalQuestion; Mechanical Turk adds the ids.")

    leads_back = False

    def entry_page(self, knock: ArrivalRequest) -> EntryPage | None:
        """Show the task: before acceptance a description, then the link to the window and a field for the code."""
        if knock.id("assignmentId") == NOT_ACCEPTED:
            return EntryPage("raters/sources/mturk.html", {"accepted": False}, hosts=SITES)
        if knock.id(WINDOW):
            return None
        ids = read_ids(knock.params, PARAMETERS)
        site = knock.id("turkSubmitTo").rstrip("/")
        query = {PARAMETERS[key][0]: value for key, value in ids.items()} | {WINDOW: "1"}
        context = {
            "accepted": True,
            "window": f"?{urlencode(query)}",
            "submit_to": f"{site}/mturk/externalSubmit" if site in SITES else "",
            "assignment": ids["session"],
        }
        return EntryPage("raters/sources/mturk.html", context, hosts=SITES)

    def parse(self, knock: ArrivalRequest) -> RaterArrival:
        ids = read_ids(knock.params, PARAMETERS)
        return RaterArrival(self.name, ids["person"], ids["study"], ids["session"], passed_on=True)

    def link(self, base_url: str, slug: str, crowd: Crowd) -> str:
        return f"{base_url}/s/{slug}/"

    def return_address(self, crowd: Crowd, arrival: RaterArrival, outcome: str, *, payable: bool | None) -> str | None:
        """Return None: the task's window is still open for the code."""
        return None

"""The frame of a study's pages, as a template tag: `{% study_frame "clips" %}`."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.context import Context

from studies import hooks
from studies.launch.frame import frame
from studies.members import access
from studies.members.links import links_of
from studies.rules.roles import Capability
from workspace import pilots, tabs
from workspace.frame import next_step

register = template.Library()

# Tabs whose header offers a preview, and those that remind of changes: Design and Check & launch show them themselves.
PREVIEWING = {"overview", "design", "clips", "launch"}
REMINDING = {"overview", "clips", "settings"}


@register.inclusion_tag("workspace/_frame.html", takes_context=True)
def study_frame(context: Context, here: str) -> dict[str, Any]:
    """Render the header and the tabs of the page's `study`; `here` names the tab."""
    study, request = context["study"], context["request"]
    groups = tabs.groups(study, request.user, here)
    label = next((tab.label for group in groups for tab in group.tabs if tab.is_here), "")
    is_open = study.pilot_of_id is None and study.state != study.State.CLOSED
    sees = access.may(study, request.user, Capability.SEE_STUDY)
    # The overview has a card for it.
    following = None if here == "overview" or study.archived_at else next_step(study, request.user)
    return {
        "next_step": following if following and following.url != request.path else None,
        "study": study,
        "request": request,
        "csrf_token": context.get("csrf_token"),
        "groups": groups,
        "here_label": label,
        "pages": tabs.below(study, request, here),
        "actions": [
            link
            for link in links_of(study, request, hooks.study_actions)
            if is_open and here in PREVIEWING and link.url != request.path
        ],
        "is_changed": sees and here in REMINDING and frame(study)["is_changed"],
    }


@register.inclusion_tag("workspace/_onward.html", takes_context=True)
def onward(context: Context) -> dict[str, Any]:
    """Render the button at the end of a draft's page that leads to the next step."""
    study, request = context["study"], context["request"]
    following = next_step(study, request.user) if study.is_draft and not study.archived_at else None
    return {"next_step": following if following and following.url != request.path else None}


@register.inclusion_tag("workspace/_pilots.html", takes_context=True)
def pilot_panel(context: Context, *, is_folded: bool = False) -> dict[str, Any]:
    """Render the panel of the pilots of the page's `study`; a folded one is open if there are pilots."""
    request, csrf_token = context["request"], context.get("csrf_token")
    return {**pilots.panel(context["study"], request.user), "csrf_token": csrf_token, "is_folded": is_folded}

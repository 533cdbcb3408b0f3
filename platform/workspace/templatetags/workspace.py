"""The frame of a study's pages, as a template tag: `{% study_frame "clips" %}`."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.context import Context

from workspace import frame, pilots

register = template.Library()


@register.inclusion_tag("workspace/_frame.html", takes_context=True)
def study_frame(context: Context, here: str) -> dict[str, Any]:
    """Render the header and the tabs of the page's `study`; `here` names the tab."""
    study, request = context["study"], context["request"]
    return {"study": study, "request": request, "tabs": frame.tabs(study, request.user, here)}


@register.inclusion_tag("workspace/_pilots.html", takes_context=True)
def pilot_panel(context: Context) -> dict[str, Any]:
    """Render the panel of the pilots of the page's `study`."""
    request = context["request"]
    return {**pilots.panel(context["study"], request.user), "csrf_token": context.get("csrf_token")}

"""What stands below the tabs of a study's own pages, as a template tag: `{% study_state %}`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import template

from studies.launch.frame import frame

if TYPE_CHECKING:
    from django.template import Context

register = template.Library()


@register.inclusion_tag("studies/_frame.html", takes_context=True)
def study_state(context: Context) -> dict[str, Any]:
    """Render the version of the page's `study`, the links and actions of higher apps, and whether the draft changed."""
    return {**frame(context["study"], context["request"]), "csrf_token": context.get("csrf_token")}

"""What the reader of a page may do in a study, so that it offers nothing that would be refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import template

from studies.members import access
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from django.template import Context

    from studies.definition.models import Study

register = template.Library()


@register.simple_tag(takes_context=True)
def may(context: Context, study: Study, capability: str) -> bool:
    """Return whether the reader may do this in the study: `{% may study "change_study" as may_change %}`."""
    request: Any = context["request"]
    return access.may(study, request.user, Capability(capability))
